"""Types and casts. Spark's names for the types; Trino's way to cast where the two differ."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.rules.identifiers import folded
from sqe.sql.trees import call, number, position_of, raw_type

_D = exp.DType
_SIMPLE = {
    _D.BOOLEAN: "BOOLEAN", _D.TINYINT: "TINYINT", _D.SMALLINT: "SMALLINT", _D.INT: "INT", _D.BIGINT: "BIGINT",
    _D.FLOAT: "FLOAT", _D.DOUBLE: "DOUBLE", _D.DATE: "DATE", _D.TEXT: "STRING", _D.VARCHAR: "STRING",
    _D.CHAR: "STRING", _D.NCHAR: "STRING", _D.NVARCHAR: "STRING", _D.JSON: "STRING", _D.UUID: "STRING",
    _D.IPADDRESS: "STRING", _D.BINARY: "BINARY", _D.VARBINARY: "BINARY", _D.TIMESTAMP: "TIMESTAMP_NTZ",
    _D.TIMESTAMPNTZ: "TIMESTAMP_NTZ", _D.TIMESTAMPTZ: "TIMESTAMP_LTZ", _D.TIMESTAMPLTZ: "TIMESTAMP_LTZ",
    _D.VARIANT: "VARIANT", _D.NULL: "VOID", _D.UNKNOWN: "VOID", _D.DATETIME: "TIMESTAMP_NTZ",
}  # fmt: skip
_INTEGERS = frozenset({_D.TINYINT, _D.SMALLINT, _D.INT, _D.BIGINT})
_TEXTS = frozenset({_D.VARCHAR, _D.CHAR, _D.TEXT, _D.NCHAR, _D.NVARCHAR})
_JSON_MAKERS = frozenset({"json_parse", "json_extract", "json_array_get", "json_query", "sqe_to_json"})


def translate_types(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite all casts, innermost first."""
    for cast in reversed(list(tree.find_all(exp.Cast, exp.TryCast))):
        made = _cast(cast, context)
        if made is not cast:
            if cast is tree:
                tree = made
            else:
                cast.replace(made)
    return tree


def spark_type(kind: exp.DataType, context: Context) -> str:
    """A type in Spark's words."""
    made = _SIMPLE.get(kind.this) or _with_parameters(kind) or _nested(kind, context)
    if made:
        return made
    raise NotSupportedError(
        f"the type {kind.sql(dialect='trino').lower()} is not supported", position=position_of(kind, context.sql)
    )


def _with_parameters(kind: exp.DataType) -> str | None:
    this = kind.this
    if isinstance(this, exp.Interval):
        unit = this.args.get("unit")
        return f"INTERVAL {unit.sql(dialect='spark')}" if unit else "INTERVAL DAY TO SECOND"
    if this is _D.USERDEFINED:
        return str(kind.args.get("kind"))
    if this is _D.DECIMAL:
        return f"DECIMAL({', '.join(_parameters(kind)) or '38, 0'})"
    return f"TIME({(_parameters(kind) or ['6'])[0]})" if this is _D.TIME else None


def _nested(kind: exp.DataType, context: Context) -> str | None:
    if kind.this is _D.ARRAY:
        return f"ARRAY<{_inner(kind, 0, context)}>"
    if kind.this is _D.MAP:
        return f"MAP<{_inner(kind, 0, context)}, {_inner(kind, 1, context)}>"
    if kind.this is _D.STRUCT:
        return f"STRUCT<{', '.join(_field(number, field, context) for number, field in enumerate(kind.expressions))}>"
    return None


def _parameters(kind: exp.DataType) -> list[str]:
    return [parameter.name for parameter in kind.expressions if isinstance(parameter, exp.DataTypeParam)]


def _inner(kind: exp.DataType, number: int, context: Context) -> str:
    inner = kind.expressions[number] if number < len(kind.expressions) else None
    return spark_type(inner, context) if isinstance(inner, exp.DataType) else "STRING"


def _field(number: int, field: exp.Expr, context: Context) -> str:
    """A field of a row; one without a name is numbered as Trino does."""
    if isinstance(field, exp.ColumnDef):
        name = folded(field.this).replace("`", "``")
        return f"`{name}`: {spark_type(field.args['kind'], context)}"
    return f"`field{number}`: {spark_type(field, context)}" if isinstance(field, exp.DataType) else "`field`: STRING"


def _cast(cast: exp.Cast | exp.TryCast, context: Context) -> exp.Expr:
    kind = cast.to
    value = cast.this
    target = spark_type(kind, context)
    attempt = isinstance(cast, exp.TryCast)
    if kind.this is _D.JSON:
        return call("sqe_to_json", value, like=cast)
    if _is_json(value):
        name = "sqe_try_from_json" if attempt else "sqe_from_json"
        return call(name, value, exp.Literal.string(target), like=cast)
    if kind.this in _INTEGERS:
        value = call("sqe_rounded", value)
    elif kind.this in _TEXTS:
        value = call("sqe_text", value)
    to = raw_type(target)
    # Without that word the generator takes an attempt for an ordinary cast.
    made: exp.Expr = exp.TryCast(this=value, to=to, safe=True) if attempt else exp.Cast(this=value, to=to)
    length = _parameters(kind)
    if kind.this in {_D.VARCHAR, _D.NVARCHAR} and length:
        made = call("left", made, number(int(length[0])))
    elif kind.this in {_D.CHAR, _D.NCHAR} and length:
        made = call("rpad", made, number(int(length[0])), exp.Literal.string(" "))
    return made


def _is_json(value: exp.Expr) -> bool:
    """Whether an expression is of Trino's type JSON; Spark keeps JSON as text, so only its maker tells."""
    while isinstance(value, exp.Paren):
        value = value.this
    return isinstance(value, exp.Anonymous) and str(value.this) in {f"sqe_{name}" for name in _JSON_MAKERS} | {
        "sqe_to_json"
    }
