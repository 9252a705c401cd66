"""The base of all settings models, and the types that settings share.

A text that a model refuses a value with never holds the value: it may be a secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Self, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from sqe.core.sizes import format_size, parse_size

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

#: Error types of ours: `sqe.settings` shows the text of the first and unpacks the second.
REFUSED: Final = "sqe_refused"
CONFLICTS: Final = "sqe_conflicts"

_EMBEDDED = "embedded"


def refuse(text: str) -> PydanticCustomError:
    """The error for a validator to raise; `text` goes on after the key's name: `must be at least 64MB`."""
    # As context, not as template: a brace in the text must stay a brace.
    return PydanticCustomError(REFUSED, "{text}", {"text": text})


@dataclass(frozen=True)
class Conflict:
    """Keys of a model that are fine alone but not together; the first one is blamed."""

    keys: tuple[str, ...]
    text: str


class SettingsModel(BaseModel):
    """One section of the settings: frozen, and strict about names and types."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, hide_input_in_errors=True, validate_default=True
    )

    def conflicts(self) -> Iterable[Conflict]:
        """What is wrong between the keys of this section; all of it, not only the first."""
        return ()

    @classmethod
    def variant_for(cls, tree: object) -> type[SettingsModel]:  # noqa: ARG003 - for those that have kinds
        """The model of an entry that `tree` is, for a list whose entries come in several kinds."""
        return cls

    @classmethod
    def variants(cls) -> Mapping[str, type[SettingsModel]]:
        """The kinds of entries, by the value of their key `type`; none for a model with one kind."""
        return {}

    @model_validator(mode="after")
    def _refuse_conflicts(self) -> Self:
        found = tuple(self.conflicts())
        if found:
            text = "; ".join(f"{conflict.keys[0]}: {conflict.text}" for conflict in found)
            raise PydanticCustomError(CONFLICTS, "{text}", {"text": text, "conflicts": found})
        return self


def _to_bytes(value: object) -> int:
    try:
        return parse_size(value)
    except ValueError as error:
        raise refuse(str(error)) from None


def at_least(size: str) -> AfterValidator:
    """A floor to annotate a `Size` with."""
    floor = parse_size(size)

    def check(value: int) -> int:
        if value < floor:
            raise refuse(f"must be at least {format_size(floor)}")
        return value

    return AfterValidator(check)


#: A number of bytes; text such as "64MB" is understood.
Size = Annotated[int, BeforeValidator(_to_bytes)]

_TEN_YEARS = 10 * 366 * 24 * 3600


def _a_time(value: int) -> int:
    if value < 0:
        raise refuse("must be at least 0")
    if value > _TEN_YEARS:
        raise refuse(f"must be at most {_TEN_YEARS}")
    return value


#: A whole number of seconds; ten years at most, which every timer can hold. Its limits are no `ge` and `le`: those
#: would win over narrower ones of a field's own.
Seconds = Annotated[int, AfterValidator(_a_time)]


def embedded(default: JsonValue) -> dict[str, JsonValue]:
    """The default of a field in the embedded engine, to be put in its `json_schema_extra`."""
    return {_EMBEDDED: default}


def embedded_defaults(model: type[SettingsModel]) -> dict[str, Any]:
    """The defaults of `model` and of the sections in it that differ in the embedded engine, as a tree."""
    tree: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        inner = section_of(field)
        if inner is not None:
            below = embedded_defaults(inner)
            tree |= {name: below} if below else {}
        elif isinstance(field.json_schema_extra, dict) and _EMBEDDED in field.json_schema_extra:
            tree[name] = field.json_schema_extra[_EMBEDDED]
    return tree


def entry_of(field: FieldInfo) -> type[SettingsModel] | None:
    """The model of the entries of a table whose keys are names, such as `[catalogs.<name>]`; None for other fields."""
    inner = get_args(field.annotation)
    if get_origin(field.annotation) is dict and isinstance(inner[1], type) and issubclass(inner[1], SettingsModel):
        return inner[1]
    return None


def section_of(field: FieldInfo) -> type[SettingsModel] | None:
    """The model of a field that is a section of its own; None for a plain key."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, SettingsModel) else None


def is_size(field: FieldInfo) -> bool:
    """Whether the field is a `Size`."""
    return any(isinstance(mark, BeforeValidator) and mark.func is _to_bytes for mark in field.metadata)
