"""Pieces of listings: patterns that narrow them, signatures of functions, columns that statements compare."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from sqe.sql.context import Context
from sqe.sql.definitions import create_table
from sqe.sql.functions.signatures import signatures
from sqe.sql.predicates import columns_compared
from sqe.sql.translate import translate

_ROOT = Path(__file__).parents[3]
_PLACE = ("iceberg", "shop")


def test_signatures_are_those_that_were_recorded() -> None:
    script = runpy.run_path(str(_ROOT / "scripts" / "function_signatures.py"))
    assert script["TARGET"].read_text(encoding="utf-8") == script["signature_lines"]()


def test_every_function_is_listed_once_per_signature() -> None:
    found = signatures()
    assert len(found) == len(set(found))
    assert [item.name for item in found] == sorted(item.name for item in found)


@pytest.mark.parametrize(
    ("condition", "equal", "patterns"),
    [
        ("table_schema = 's'", {"table_schema": "s"}, {}),
        ("TABLE_SCHEM LIKE 'a%'", {}, {"table_schem": "a.*"}),
        ("table_name LIKE 'a!_.%' ESCAPE '!' AND table_cat = 'c'", {"table_cat": "c"}, {"table_name": r"a_\..*"}),
        ("table_name LIKE '_\\_'", {}, {"table_name": r".\\."}),
        ("table_name = 'a' OR table_name = 'b'", {}, {}),
        ("NOT table_name LIKE 'a'", {}, {}),
        ("table_name NOT LIKE 'a'", {}, {}),
        ("table_type = 'TABLE'", {}, {}),
        ("lower(table_name) = 'a'", {}, {}),
        ("table_name = column_name", {}, {}),
        ("table_name LIKE column_name", {}, {}),
    ],
)
def test_conditions_that_narrow(condition: str, equal: dict[str, str], patterns: dict[str, str]) -> None:
    made = translate(Context(f"SELECT * FROM system.jdbc.columns WHERE {condition}"))
    (table,) = made.virtual
    assert (table.filters, table.patterns) == (equal, patterns)


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT * FROM orders WHERE id = 1", {"id"}),
        ("SELECT * FROM iceberg.shop.orders WHERE 1 = ID AND name = DATE '2024-01-01'", {"id", "name"}),
        ("SELECT * FROM shop.orders o JOIN users u ON o.id = u.id WHERE o.name IN ('a', 'b')", {"name"}),
        ("SELECT * FROM users u, orders o WHERE u.id = 1 AND o.name = 'x'", {"name"}),
        ("WITH w AS (SELECT * FROM orders WHERE id = 7) SELECT * FROM w WHERE name = 'x'", {"id"}),
        ("UPDATE orders SET name = 'x' WHERE id = 3", {"id"}),
        ("DELETE FROM orders WHERE id IN (SELECT id FROM users)", set()),
        ("SELECT id = 1 FROM orders", set()),
        ("SELECT * FROM orders WHERE id > 1 AND other = 2", set()),
        ("SELECT * FROM other.orders WHERE id = 1", set()),
        ("SHOW TABLES LIKE 'orders'", set()),
        ("SELECT * FROM orders WHERE (", set()),
    ],
)
def test_columns_that_are_compared(sql: str, columns: set[str]) -> None:
    assert set(columns_compared([(sql, _PLACE)], ("iceberg", "shop", "orders"), ["id", "name"])) == columns


def test_a_definition_is_one_that_is_understood() -> None:
    facts = {
        "properties": {"comment": "it's", "owner": "me", "write.object-storage.enabled": "true", 'odd "key"': "v"},
        "format_version": 2,
        "location": "/w/t",
        "partitioning": ["day(at)"],
        "sorted_by": [],
        "identifier_fields": ["id"],
    }
    columns = [
        ("id", "BIGINT", False, None, "5"),
        ("My Col", "STRUCT<a: INT>", True, "x'y", None),
        ("b", "STRING", True, None, "'it\\'s'"),
    ]
    made = create_table(["c", "s", "t"], columns, facts)
    assert "id bigint DEFAULT 5 NOT NULL" in made
    assert "b varchar DEFAULT 'it''s'" in made
    text, *after = [translate(Context(made)).text, *translate(Context(made)).after]
    assert "`id` BIGINT NOT NULL, `My Col` STRUCT<`a`: INT> COMMENT 'x\\'y'" in text
    assert "PARTITIONED BY (days(`at`)) LOCATION 'file:/w/t' COMMENT 'it\\'s'" in text
    assert "'odd \"key\"' = 'v', 'write.object-storage.enabled' = 'true'" in text
    assert "owner" not in text
    assert after == ["ALTER TABLE `c`.`s`.`t` SET IDENTIFIER FIELDS `id`"]
