"""Ctrl-C that comes at any moment."""

from __future__ import annotations

import os
import signal
import time

import pytest

from sqe.cli.interrupts import Interrupts


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)


def test_an_early_one_is_raised_where_somebody_is_ready() -> None:
    interrupts = Interrupts()
    with interrupts.deferred():
        press()
        with pytest.raises(KeyboardInterrupt), interrupts.armed():
            pytest.fail("not reached")
        # It was told once and is forgotten.
        with interrupts.armed():
            pass


def test_one_in_time_is_raised_at_once() -> None:
    interrupts = Interrupts()
    with interrupts.deferred(), pytest.raises(KeyboardInterrupt), interrupts.armed():
        press()


def test_one_that_nobody_waited_for_is_forgotten_with_its_statement() -> None:
    interrupts = Interrupts()
    with interrupts.deferred():
        press()
    with interrupts.deferred(), interrupts.armed():
        pass


def test_outside_everything_is_as_usual() -> None:
    interrupts = Interrupts()
    with interrupts.deferred():
        pass
    with pytest.raises(KeyboardInterrupt):
        press()
