"""What cannot go to a branch is refused while one is set."""

from __future__ import annotations

import pytest

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.translate import translate


@pytest.mark.parametrize("rest", ["AS SELECT 1 AS a", "(a INTEGER)"])
def test_a_whole_table_is_not_replaced(rest: str) -> None:
    sql = f"CREATE OR REPLACE TABLE s.t {rest}"
    with pytest.raises(NotSupportedError, match="cannot go to the branch dev"):
        translate(Context(sql, write_branch="dev"))
    translate(Context(sql))


def test_a_new_table_has_no_branches() -> None:
    translate(Context("CREATE TABLE s.t AS SELECT 1 AS a", write_branch="dev"))
