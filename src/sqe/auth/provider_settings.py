"""What the settings of all providers have in common; each provider's own are beside its code."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SerializeAsAny, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import ValidationError

from sqe.auth.people import ClaimNames
from sqe.observe.model import SettingsModel, refuse

if TYPE_CHECKING:
    from pydantic_core import InitErrorDetails


def _web_address(text: str) -> str:
    if not text:
        return text
    try:
        parts = urlsplit(text)
        # Reading the port checks it.
        is_usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or not text.isascii() or not text.isprintable() or " " in text:
        raise refuse("must be an address that starts with https:// or http://")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise refuse("must not hold a user, a password or a fragment")
    return text


def _not_empty(text: str) -> str:
    if not text.strip():
        raise refuse("must not be empty")
    return text


#: The address of a web server; empty: none.
WebAddress = Annotated[str, AfterValidator(_web_address)]
NotEmpty = Annotated[str, AfterValidator(_not_empty)]


def address_warnings(address: str) -> Iterable[str]:
    """What an operator should know of an address that this server will call."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        number = None
    is_loopback = host == "localhost" or (number is not None and number.is_loopback)
    if parts.scheme == "http" and not is_loopback:
        yield f"{host} is called without TLS: secrets and tokens can be read on the way"
    if number is not None and not is_loopback and (number.is_private or number.is_link_local):
        yield f"{host} is a private address: make sure that it is the identity provider"


#: Inside the class below, `type` is a key.
_ModelClass = type[SettingsModel]


class ProviderSettings(SettingsModel):
    """One entry of the chain of providers."""

    #: Not for production: nobody is verified.
    is_for_development: ClassVar[bool] = False
    #: Everybody becomes the same identity.
    is_shared: ClassVar[bool] = False

    type: str = Field(description="Which provider this is.")

    def addresses(self) -> Iterable[str]:
        """The addresses that the provider calls."""
        for name in type(self).model_fields:
            address = getattr(self, name) if name.endswith(("_url", "_endpoint")) else ""
            if address:
                yield address

    def warnings(self) -> Iterable[str]:
        """What an operator should know at the start."""
        for address in self.addresses():
            yield from address_warnings(address)

    @classmethod
    def variant_for(cls, tree: object) -> _ModelClass:
        """The settings of the provider that `tree` names."""
        kind = tree.get("type") if isinstance(tree, Mapping) else None
        return _model_of(kind) or cls

    @classmethod
    def variants(cls) -> Mapping[str, _ModelClass]:
        """The settings of all providers that are part of SQE."""
        from sqe.auth.plugins import BUILT_IN, kind_of

        return {name: kind_of(name).settings for name in BUILT_IN}

    @classmethod
    def parsed(cls, value: object, handler: ValidatorFunctionWrapHandler) -> Self:
        """An entry as the settings of the provider that it names."""
        if isinstance(value, cls):
            return value
        kind = value.get("type") if isinstance(value, Mapping) else None
        if not isinstance(value, Mapping) or (kind is not None and not isinstance(kind, str)):
            return handler(value)  # type: ignore[no-any-return] # raises: not a table, or no text
        if kind is None:
            raise _without_type()
        model = _model_of(kind)
        if model is None:
            from sqe.auth.plugins import known_types

            raise refuse(f"no provider has this type; known are {', '.join(known_types())}")
        return model.model_validate(value)  # type: ignore[return-value] # the kind's model is one of ours


def _model_of(kind: object) -> type[ProviderSettings] | None:
    from sqe.auth.plugins import find_kind

    found = find_kind(kind) if isinstance(kind, str) else None
    return None if found is None else found.settings


def _without_type() -> ValidationError:
    missing: InitErrorDetails = {"type": "missing", "loc": ("type",), "input": {}}
    return ValidationError.from_exception_data("ProviderSettings", [missing], hide_input=True)


AnyProvider = Annotated[SerializeAsAny[ProviderSettings], WrapValidator(ProviderSettings.parsed)]


class ClaimSettings(ProviderSettings):
    """Which claims of a token say what."""

    user_claim: NotEmpty = Field(default="sub", description="The claim with the user's name; it should never change.")
    roles_claim: str = Field(
        default="realm_access.roles", description="The claim with the roles; dots lead into objects."
    )
    groups_claim: str = Field(default="groups", description="The claim with the groups, for `auth.role_mappings`.")
    email_claim: str = Field(default="email", description="The claim with the e-mail address, to show.")

    @property
    def claim_names(self) -> ClaimNames:
        """The same as the code takes it."""
        return ClaimNames(self.user_claim, self.roles_claim, self.groups_claim, self.email_claim)
