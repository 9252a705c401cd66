"""The lists of the guard and what the dialect writes agree."""

from __future__ import annotations

import pytest

from sqe.core.session_settings import ENGINE_SETTINGS
from sqe.query.settings import QuerySettings
from sqe.spark.guard import PATH_PROCEDURES, guard_rules
from sqe.sql.statements.procedures import PROCEDURES
from sqe.sql.statements.session import SESSION_PROPERTIES


def test_the_procedures_of_the_dialect() -> None:
    rules = guard_rules()
    assert {*rules["procedures"], *rules["path_procedures"]} == set(PROCEDURES)


def test_arguments_that_are_places_have_the_numbers_of_the_dialect() -> None:
    for procedure, arguments in guard_rules()["path_arguments"].items():
        assert procedure in PATH_PROCEDURES
        for name, number in arguments.items():
            assert PROCEDURES[procedure][number] == name


def test_properties_of_a_session_are_settings_that_it_may_change() -> None:
    assert {known.key for known in SESSION_PROPERTIES.values()} <= ENGINE_SETTINGS
    assert not any("catalog" in key for key in guard_rules()["settings"])


def test_only_procedures_with_paths_can_be_left_to_admins() -> None:
    assert set(QuerySettings().admin_procedures) == PATH_PROCEDURES
    with pytest.raises(ValueError, match="must be one of register_table, remove_orphan_files"):
        QuerySettings(admin_procedures=["add_files"])
