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
#: Calls whose result is of type JSON.
_JSON_MAKERS = frozenset({
    "sqe_json_parse", "sqe_json_extract", "sqe_json_array_get", "sqe__json_item", "sqe__to_json",
})  # fmt: skip
#: Types that only the text of JSON_VALUE can become.
_FROM_JSON_TEXT = frozenset({_D.DATE, _D.TIME, _D.TIMESTAMP, _D.TIMESTAMPTZ, _D.UUID, _D.IPADDRESS})


def translate_types(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite all casts, innermost first."""
    for cast in reversed(list(tree.find_all(exp.Cast, exp.TryCast))):
        made = _cast(cast, context)
        if made is not cast:
            if cast is tree:
                tree = made
            else:
                cast.replace(made)
    for node in tree.find_all(exp.Anonymous):
        _use_of_json(node)
    return tree


def _use_of_json(node: exp.Anonymous) -> None:
    """What sees that a text is JSON."""
    name = str(node.this)
    if name in {"sqe__json_object", "sqe__json_array"}:
        for value in node.expressions:
            if _is_json(value):
                value.replace(call("sqe_from_json", value.copy(), exp.Literal.string("STRING")))
    elif name == "sqe_typeof" and len(node.expressions) == 1 and _is_json(node.expressions[0]):
        node.set("expressions", [exp.Literal.string("json")])
        node.set("this", "string")


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
        return value if _is_json(value) else call("sqe__to_json", value, like=cast)
    if _is_json(value):
        name = "sqe_try_from_json" if attempt else "sqe_from_json"
        if str(value.this) != "sqe__json_item" or kind.this not in _FROM_JSON_TEXT:
            return _cut(call(name, value, exp.Literal.string(_json_shape(kind, context)), like=cast), kind)
        # JSON_VALUE may return what JSON has no type for, by its text.
        value = call(name, value, exp.Literal.string("STRING"), like=cast)
    if kind.this in _INTEGERS:
        value = call("sqe_rounded", value)
    elif kind.this in _TEXTS:
        value = call("sqe_text", value)
    to = raw_type(target)
    # Without that word the generator takes an attempt for an ordinary cast.
    made: exp.Expr = exp.TryCast(this=value, to=to, safe=True) if attempt else exp.Cast(this=value, to=to)
    return _cut(made, kind)


def _cut(made: exp.Expr, kind: exp.DataType) -> exp.Expr:
    """A text of the length that its type has."""
    length = _parameters(kind)
    if kind.this in {_D.VARCHAR, _D.NVARCHAR} and length:
        return call("left", made, number(int(length[0])))
    if kind.this in {_D.CHAR, _D.NCHAR} and length:
        return call("rpad", made, number(int(length[0])), exp.Literal.string(" "))
    return made


def _json_shape(kind: exp.DataType, context: Context) -> str:
    """The type as our casts from JSON take it: JSON is told apart from text."""
    marked = kind.copy()
    for inner in marked.find_all(exp.DataType):
        if inner.this is _D.JSON:
            inner.set("this", _D.VARIANT)
    return spark_type(marked, context)


def _is_json(value: exp.Expr) -> bool:
    """Whether an expression is of Trino's type JSON; Spark keeps JSON as text, so only its maker tells."""
    while isinstance(value, exp.Paren):
        value = value.this
    return isinstance(value, exp.Anonymous) and str(value.this) in _JSON_MAKERS
