"""Writes docs/trino-functions.md: every function of Trino 476, and what became of it here.

The list is Trino's own (tests/sql/functions/trino_functions.tsv, recorded by scripts/record_trino.py). A function is
the same when none of the recorded cases that begin with it is listed in differences.toml, but for those in which the
difference lies in what stands around the call: a type, an operator, a clause. These are listed on their own.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

from sqe.sql.functions.table import function_table

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests" / "sql" / "functions"
TARGET = ROOT / "docs" / "trino-functions.md"
#: What the parser knows by itself, or what is written without brackets.
SPECIAL = frozenset({
    "current_catalog", "current_date", "current_role", "current_schema", "current_time", "current_timestamp",
    "current_user", "json_array", "json_exists", "json_object", "json_query", "json_value", "listagg", "localtime",
    "localtimestamp", "normalize", "overlay", "position", "try", "trim", "extract", "grouping", "$like", "like",
    "json_table", "substring", "exclude_columns", "sequence",
})  # fmt: skip
#: Kinds of functions that are left out on purpose.
LEFT_OUT = {
    "geospatial": re.compile(
        r"^(st_|geometry|bing_tile|great_circle|to_geometry|to_spherical|from_geojson|to_geojson|simplify_geometry|"
        r"line_|spatial_|convex_hull_agg|from_encoded_polyline|to_encoded_polyline|geometry_)"
    ),
    "sketches": re.compile(
        r"^(approx_set|merge|merge_set_digest|make_set_digest|empty_approx_set|cardinality_estimate|tdigest_agg|"
        r"qdigest_agg|value_at_quantile|values_at_quantiles|quantile_at_value|intersection_cardinality|jaccard_index|"
        r"hash_counts|scale_tdigest|scale_qdigest|construct_tdigest|destructure_tdigest|"
        r"merge_tdigest)$"
    ),
    "machine learning": re.compile(r"^(learn_|classify|regress|features|evaluate_classifier)"),
    "Teradata": re.compile(r"^(char2hexint|index|to_char|to_timestamp|to_date|substring_index)$"),
}

#: Reasons that lie in no function: the same cases differ whatever function is called in them. `typeof`, which is there
#: to tell what type a value has, is charged with those of the types nevertheless.
TYPES = frozenset(
    {
        "DEC is another word for DECIMAL",
        "JSON is kept as text, and texts can be compared",
        "JSON is kept as text: a column does not know that it is JSON",
        "a column does not keep the zones of its values: it is read in the zone of the session",
        "a timestamp always has six digits of a second",
        "a timestamp has six digits of a second at most",
        "a value does not keep its zone: its text is in the zone of the session",
        "addresses are kept as text and compared as text",
        "intervals of months leave as text: clients of Arrow cannot read them",
        "sums and products of decimals have Spark's precision",
        "the text of a time has as many digits of a second as it needs",
        "the length of a varchar is not part of its type",
        "the type char(n) does not exist: its values are texts with blanks at the end",
        "the type time with time zone does not exist",
        "types of times always have six digits of a second",
    }
)
OPERATORS = frozenset(
    {
        "NaN equals itself and is greater than every number, as in ORDER BY",
        "a key that is a decimal must have the scale of the map's keys",
        "a number of days may be added to a date",
        "a product with more than 38 digits loses digits behind the point instead of failing",
        "a real and a decimal are compared as doubles",
        "a text is compared with a number or a date by its value",
        "an index beyond the end gives NULL",
        "comparisons can be chained",
        "maps cannot be compared",
        "rows of different types cannot be compared",
        "within arrays and rows NULL equals NULL, and comes before everything",
    }
)
CLAUSES = frozenset(
    {
        "GROUP BY ALL groups by all columns that are no aggregates",
        "a row cannot be unfolded by .*",
        "a window function may stand within another one",
        "FILTER may stand before OVER",
        "grouping sets over no rows give no rows",
        "the bounds of a frame are constants in their order; one below 0 makes the frame empty",
    }
)
AROUND = {"Types": TYPES, "Operators": OPERATORS, "Clauses": CLAUSES}


def main() -> int:
    """Write the page, or with --check say whether it is up to date."""
    page = made()
    if "--check" in sys.argv:
        if TARGET.read_text(encoding="utf-8") != page:
            print("docs/trino-functions.md is not up to date; run `make docs`", file=sys.stderr)
            return 1
        return 0
    TARGET.write_text(page, encoding="utf-8")
    return 0


def made() -> str:
    """The page."""
    rows: list[str] = []
    counts: dict[str, int] = defaultdict(int)
    reasons, all_reasons = _reasons(), _reasons(charge_all=True)
    untouched = 0
    for name, kinds in sorted(_listed().items()):
        status = _status(name, reasons)
        counts[status.partition(":")[0]] += 1
        untouched += _status(name, all_reasons) == "same"
        rows.append(f"| `{name}` | {', '.join(sorted(kinds))} | {status} |")
    judged = counts["same"] + counts["difference"] + counts["missing"]
    share = 100 * counts["same"] / judged
    return (
        "# Trino's functions\n\n"
        "Generated by `scripts/function_docs.py` from Trino 476's own list and from cases whose values were recorded\n"
        "from it. *same*: every recorded case answers as Trino does; *difference*: some do not, for the reason given;\n"
        "*missing*: there is no such function here. Geospatial, sketch, machine-learning and Teradata functions are\n"
        "left out. Differences of types, operators and clauses, which show with whatever function stands beside them,\n"
        "are [below](#around-the-functions).\n\n"
        f"Of {judged} functions {counts['same']} are the same ({share:.1f} %), {counts['difference']} differ in\n"
        f"something, {counts['missing']} are missing. {untouched} ({100 * untouched / judged:.1f} %) have no recorded\n"
        "case at all that differs, for whatever reason.\n\n"
        "| Function | Kind | Status |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n" + _around()
    )


def _around() -> str:
    """The differences that lie in no function, each with a case that shows it."""
    lines = [
        "",
        "## Around the functions",
        "",
        "| Where | Difference | Cases | For example |",
        "| --- | --- | --- | --- |",
    ]
    shown: dict[str, list[str]] = defaultdict(list)
    for text, reason in _differences():
        shown[reason].append(text.removeprefix("query: "))
    for place, reasons in AROUND.items():
        for reason in sorted(reasons):
            cases = shown[reason]
            if not cases:
                raise SystemExit(f"no case differs for this reason any more: {reason}")
            example = min(cases, key=len).replace("|", "\\|")
            lines.append(f"| {place} | {reason} | {len(cases)} | `{example}` |")
    return "\n".join(lines) + "\n"


def _listed() -> dict[str, set[str]]:
    """Trino's functions with their kinds."""
    found: dict[str, set[str]] = defaultdict(set)
    lines = (CASES / "trino_functions.tsv").read_text(encoding="utf-8").split("\n")[1:]
    for line in lines:
        cells = line.split("\t")
        if len(cells) > 3:
            found[cells[0].lower()].add(cells[3])
    return found


def _status(name: str, reasons: dict[str, set[str]]) -> str:
    for kind, pattern in LEFT_OUT.items():
        if pattern.match(name):
            return f"left out: {kind}"
    if name not in function_table().names and name not in SPECIAL:
        return "missing"
    if name in reasons:
        return "difference: " + "; ".join(sorted(reasons[name]))
    return "same"


def _reasons(*, charge_all: bool = False) -> dict[str, set[str]]:
    """Why cases differ, by the function that each of them is about: the first one that is called in it.

    `charge_all`: also what lies in the types, operators and clauses around it.
    """
    known = set(_listed())
    found: dict[str, set[str]] = defaultdict(set)
    for text, reason in _differences():
        called = [name for name in re.findall(r"([a-z_0-9]+)\s*\(", text.lower()) if name in known]
        if charge_all:
            pass
        elif reason in TYPES:
            called = [name for name in called if name == "typeof"]
        elif any(reason in reasons for reasons in AROUND.values()):
            continue
        called = [name for name in called if name not in {"typeof", "unnest", "cast"}] or called
        if called:
            found[called[0]].add(reason)
    return found


def _differences() -> list[tuple[str, str]]:
    """The cases that are known to differ, with the reasons."""
    files = tomllib.loads((CASES / "differences.toml").read_text(encoding="utf-8"))
    return [case for cases in files.values() for case in cases.items()]


if __name__ == "__main__":
    sys.exit(main())
