"""Types and casts. Spark's names for the types; Trino's way to cast where the two differ."""

from __future__ import annotations

import re

from sqlglot import exp

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.rules.identifiers import folded
from sqe.sql.rules.literals import MOST_DIGITS
from sqe.sql.trees import call, number, position_of, raw_type, text

_D = exp.DType
_SIMPLE = {
    _D.BOOLEAN: "BOOLEAN", _D.TINYINT: "TINYINT", _D.SMALLINT: "SMALLINT", _D.INT: "INT", _D.BIGINT: "BIGINT",
    _D.FLOAT: "FLOAT", _D.DOUBLE: "DOUBLE", _D.DATE: "DATE", _D.TEXT: "STRING", _D.VARCHAR: "STRING",
    _D.CHAR: "STRING", _D.NCHAR: "STRING", _D.NVARCHAR: "STRING", _D.JSON: "STRING", _D.UUID: "STRING",
    _D.IPADDRESS: "STRING", _D.BINARY: "BINARY", _D.VARBINARY: "BINARY", _D.TIMESTAMP: "TIMESTAMP_NTZ",
    _D.TIMESTAMPNTZ: "TIMESTAMP_NTZ", _D.TIMESTAMPTZ: "TIMESTAMP_LTZ", _D.TIMESTAMPLTZ: "TIMESTAMP_LTZ",
    _D.VARIANT: "VARIANT", _D.NULL: "VOID", _D.UNKNOWN: "VOID", _D.DATETIME: "TIMESTAMP_NTZ",
}  # fmt: skip
#: What looks at a value by its kind before Spark casts it.
_FIRST = {
    _D.TINYINT: "sqe__to_whole", _D.SMALLINT: "sqe__to_whole", _D.INT: "sqe__to_whole", _D.BIGINT: "sqe__to_whole",
    _D.FLOAT: "sqe__to_float", _D.DOUBLE: "sqe__to_float", _D.DECIMAL: "sqe__to_decimal",
    _D.BOOLEAN: "sqe__to_boolean", _D.VARCHAR: "sqe__to_text", _D.TEXT: "sqe__to_text", _D.CHAR: "sqe__to_char",
    _D.NCHAR: "sqe__to_char", _D.NVARCHAR: "sqe__to_text", _D.DATE: "sqe__to_date", _D.TIME: "sqe__to_time",
    _D.TIMESTAMP: "sqe__to_timestamp", _D.TIMESTAMPTZ: "sqe__to_instant", _D.VARBINARY: "sqe__to_bytes",
    _D.UUID: "sqe__to_uuid", _D.IPADDRESS: "sqe__to_ipaddress",
}  # fmt: skip
_NESTED = frozenset({_D.ARRAY, _D.MAP, _D.STRUCT})
_MOMENTS = frozenset({_D.TIME, _D.TIMESTAMP, _D.TIMESTAMPTZ})
_DATE_FORM = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT_FORM = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d(\.\d+)?)?)?")
#: Types that are text to Spark, by the calls that make them.
_SPECIAL = {
    "sqe__to_uuid": "uuid", "sqe_uuid": "uuid", "sqe__to_ipaddress": "ipaddress", "sqe_objectid": "ObjectId",
}  # fmt: skip
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
        _use_of_special(node)
    return tree


def _use_of_special(node: exp.Anonymous) -> None:
    """What sees that a text is JSON, a UUID or an address."""
    name = str(node.this)
    if name in {"contains", "sqe_contains"} and [_maker(part) for part in node.expressions[1:]] == [
        "sqe__to_ipaddress"
    ]:
        node.set("this", "sqe__in_network")
    if name in {"sqe__json_object", "sqe__json_array"}:
        for value in node.expressions:
            if _is_json(value):
                value.replace(call("sqe_from_json", value.copy(), text("STRING")))
    elif name == "sqe_typeof" and len(node.expressions) == 1:
        value = node.expressions[0]
        known = "json" if _is_json(value) else _SPECIAL.get(_maker(value))
        if known:
            node.set("expressions", [text(known)])
            node.set("this", "string")


def spark_type(kind: exp.DataType, context: Context) -> str:
    """A type in Spark's words."""
    made = _SIMPLE.get(kind.this) or _with_parameters(kind) or _nested(kind, context)
    if made:
        return made
    around = kind.parent
    raise NotSupportedError(
        f"the type {kind.sql(dialect='trino').lower()} is not supported",
        position=position_of(kind, context.sql) or (position_of(around, context.sql) if around else None),
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
    attempt = isinstance(cast, exp.TryCast)
    target = spark_type(kind, context)
    if kind.this is _D.JSON:
        return value if _is_json(value) else call("sqe__to_json", value, like=cast)
    if _is_json(value):
        name = "sqe_try_from_json" if attempt else "sqe_from_json"
        if _maker(value) != "sqe__json_item" or kind.this not in _FROM_JSON_TEXT:
            plain = call(name, value, text(_json_shape(kind, context)), like=cast)
            return _converted(plain, kind, attempt, context) if kind.this in _TEXTS else plain
        # JSON_VALUE may return what JSON has no type for, by its text.
        value = call(name, value, text("STRING"), like=cast)
    if kind.this in _NESTED and not isinstance(value, exp.Null):
        made = _converted(value, kind, attempt=False, context=context)
        return call("sqe_try", made) if attempt else made
    if isinstance(kind.this, exp.Interval) or kind.this not in _FIRST:
        return _plain(value, target, attempt)
    return _converted(value, kind, attempt, context)


def _plain(value: exp.Expr, target: str, attempt: bool) -> exp.Expr:
    # Without that word the generator takes an attempt for an ordinary cast.
    to = raw_type(target)
    return exp.TryCast(this=value, to=to, safe=True) if attempt else exp.Cast(this=value, to=to)


def _converted(value: exp.Expr, kind: exp.DataType, attempt: bool, context: Context) -> exp.Expr:  # noqa: PLR0911
    """A value in another type, as Trino converts it."""
    this = kind.this
    if this in _NESTED:
        return _nested_cast(value, kind, context)
    if this is _D.JSON:
        return call("sqe__to_json", value)
    if this in {_D.UUID, _D.IPADDRESS}:
        return call(f"sqe__to_{'uuid' if this is _D.UUID else 'ipaddress'}", value, exp.Boolean(this=attempt))
    special = _SPECIAL.get(_maker(value))
    if this in {_D.VARBINARY, _D.BINARY} and special in {"uuid", "ipaddress"}:
        return call(f"sqe__{special}_bytes", value)
    parameters = _parameters(kind)
    if this in {_D.VARCHAR, _D.NVARCHAR} and parameters:
        return call("sqe__to_text_of", value, number(int(parameters[0])), exp.Boolean(this=attempt))
    if this in {_D.CHAR, _D.NCHAR}:
        return call("sqe__to_char", value, number(int(parameters[0]))) if parameters else value
    first = None if this in _MOMENTS | {_D.DATE} and _is_plain_moment(value, this) else _FIRST.get(this)
    made = _plain(call(first, value) if first else value, _wide(kind, context), attempt)
    if this in _MOMENTS and parameters and int(parameters[0]) < MOST_DIGITS:
        return call("sqe__digits", made, number(int(parameters[0])))
    return made


def _is_plain_moment(value: exp.Expr, kind: exp.DType) -> bool:
    """`DATE '2020-02-29'`: a literal that both engines read alike needs no second look."""
    form = _DATE_FORM if kind is _D.DATE else _MOMENT_FORM
    return isinstance(value, exp.Literal) and value.is_string and form.fullmatch(value.name) is not None


def _wide(kind: exp.DataType, context: Context) -> str:
    """A time is cut to its digits only after it was rounded."""
    return "TIME(6)" if kind.this is _D.TIME else spark_type(kind, context)


def _nested_cast(value: exp.Expr, kind: exp.DataType, context: Context) -> exp.Expr:
    """Element by element, entry by entry, field by field."""
    inner = kind.expressions

    def each(values: exp.Expr, to: exp.Expr) -> exp.Expr:
        item = exp.to_identifier(f"sqe_item_{len(list(kind.find_all(exp.DataType)))}")
        body = _converted(exp.Column(this=item.copy()), to, attempt=False, context=context)  # type: ignore[arg-type]
        return call("transform", values, exp.Lambda(this=body, expressions=[item]))

    if kind.this is _D.ARRAY:
        return each(value, inner[0])
    if kind.this is _D.MAP:
        keys, values = call("map_keys", value), call("map_values", value.copy())
        return call("map_from_arrays", each(keys, inner[0]), each(values, inner[1]))
    fields: list[exp.Expr] = []
    for place, field in enumerate(inner):
        named = isinstance(field, exp.ColumnDef)
        name = folded(field.this) if named else f"field{place}"
        part = call("sqe_cast_field", value.copy(), number(place), number(len(inner)))
        to = field.args["kind"] if named else field
        fields += [text(name), _converted(part, to, attempt=False, context=context)]
    return call("if", exp.Is(this=value.copy(), expression=exp.Null()), exp.Null(), call("named_struct", *fields))


def _json_shape(kind: exp.DataType, context: Context) -> str:
    """The type as our casts from JSON take it: JSON is told apart from text."""
    marked = kind.copy()
    for inner in marked.find_all(exp.DataType):
        if inner.this is _D.JSON:
            inner.set("this", _D.VARIANT)
    return spark_type(marked, context)


def _is_json(value: exp.Expr) -> bool:
    """Whether an expression is of Trino's type JSON; Spark keeps JSON as text, so only its maker tells."""
    return _maker(value) in _JSON_MAKERS


def _maker(value: exp.Expr) -> str:
    """The call that an expression is; brackets and the look for a zone (rules/operators.py) change nothing."""
    while isinstance(value, exp.Paren) or (isinstance(value, exp.Anonymous) and value.this == "sqe__local"):
        value = value.this if isinstance(value, exp.Paren) else value.expressions[0]
    return str(value.this) if isinstance(value, exp.Anonymous) else ""
