"""The error tree: positions in a statement, and the way over the wire."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqe.core import errors
from sqe.core.errors import ErrorKind, Position, RemoteError, SqeError, code_of, kind_of


def all_errors(root: type[SqeError] = SqeError) -> list[type[SqeError]]:
    """The classes that are made from a message, `root` included."""
    found = [] if root is RemoteError else [root]
    for inner in root.__subclasses__():
        found += all_errors(inner)
    return found


@pytest.mark.parametrize(
    ("sql", "start", "stop", "position"),
    [
        ("SELECT nope", 7, 10, Position(1, 8, 4)),
        ("SELECT\n  nope", 9, 12, Position(2, 3, 4)),
        ("a\n\nb", 3, 3, Position(3, 1, 1)),
        ("x", 0, 0, Position(1, 1, 1)),
        ("x", 1, 0, Position(1, 2, 1)),
        ("", 0, -1, Position(1, 1, 1)),
        ("SELECT 'é', nope", 12, 15, Position(1, 13, 4)),
    ],
)
def test_position_of_offset(sql: str, start: int, stop: int, position: Position) -> None:
    assert Position.of_offset(sql, start, stop) == position


@given(st.text(alphabet="ab\n", min_size=1, max_size=40), st.data())
def test_position_leads_back_to_the_character(sql: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(sql) - 1))
    position = Position.of_offset(sql, start, start)
    line = sql.split("\n")[position.line - 1]
    assert (line + "\n")[position.column - 1] == sql[start]


@pytest.mark.parametrize("kind", all_errors(), ids=lambda kind: kind.__name__)
def test_every_error_survives_the_wire(kind: type[SqeError]) -> None:
    error = kind("it broke", hint="mend it", position=Position(2, 3, 4), condition="SOME_CLASS")
    error.query_id = "0198"
    wire = json.loads(json.dumps(error.to_dict()))
    remote = RemoteError(wire)
    assert remote.to_dict() == error.to_dict()
    assert (code_of(remote), kind_of(remote)) == (code_of(error), kind_of(error)) == (kind.code, kind.kind)
    assert str(remote) == "it broke"
    assert remote.position == Position(2, 3, 4)


def test_a_bare_error_survives_the_wire() -> None:
    error = errors.NotFoundError("no such table")
    remote = RemoteError(error.to_dict())
    assert remote.to_dict() == error.to_dict()
    assert (remote.hint, remote.position, remote.condition, remote.query_id) == (None, None, None, None)


def test_an_empty_wire_error_is_internal() -> None:
    remote = RemoteError({})
    assert (str(remote), code_of(remote), kind_of(remote)) == (
        "unknown error",
        "INTERNAL",
        ErrorKind.INTERNAL,
    )


def test_codes_are_unique() -> None:
    codes = [kind.code for kind in all_errors() if kind is not SqeError and kind.__module__ == SqeError.__module__]
    assert len(codes) == len(set(codes))
