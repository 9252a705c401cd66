"""The actions that set and tell a session's options: where names lead, and the time zone."""

from __future__ import annotations

from typing import Any

from sqe.core.errors import SqeError
from sqe.endpoints.flight_sql import messages
from sqe.query.pipeline import Pipeline
from sqe.query.sessions import Session

_TIME_ZONE = "spark.sql.session.timeZone"
_NAMES = frozenset({"catalog", "schema", "time_zone"})


def set_options(session: Session, pipeline: Pipeline, body: bytes) -> bytes:
    """Set what can be set; the answer names what cannot."""
    sent = messages.parse("SetSessionOptionsRequest", body).session_options
    wrong = {option.key: messages.INVALID_NAME for option in sent if option.key not in _NAMES}
    texts = {option.key: _text(option.value) for option in sent if option.key in _NAMES}
    wrong |= {name: messages.INVALID_VALUE for name, value in texts.items() if not value}
    good = {name: value for name, value in texts.items() if value}
    wrong |= dict.fromkeys(_moved(session, good), messages.INVALID_VALUE)
    if "time_zone" in good and not _in_zone(session, pipeline, good["time_zone"]):
        wrong["time_zone"] = messages.INVALID_VALUE
    entries = [
        messages.message(
            "SetSessionOptionsErrorEntry", key=name, value=messages.message("SetSessionOptionsError", value=reason)
        )
        for name, reason in sorted(wrong.items())
    ]
    return bytes(messages.message("SetSessionOptionsResult", errors=entries).SerializeToString())


def get_options(session: Session) -> bytes:
    """All options of a session."""
    values = {"catalog": session.catalog, "schema": session.schema, "time_zone": time_zone(session)}
    options = [
        messages.message("SessionOption", key=name, value=messages.message("SessionOptionValue", string_value=value))
        for name, value in values.items()
    ]
    return bytes(messages.message("GetSessionOptionsResult", session_options=options).SerializeToString())


def time_zone(session: Session) -> str:
    """The time zone that moments are shown in."""
    return session.spark.settings([_TIME_ZONE]).get(_TIME_ZONE, ("UTC", ""))[0]


def _text(value: Any) -> str:  # noqa: ANN401 - see messages
    return str(value.string_value) if value.WhichOneof("option_value") == "string_value" else ""


def _moved(session: Session, options: dict[str, str]) -> set[str]:
    """Go where the options say; answers those that lead nowhere."""
    asked = {"catalog", "schema"} & options.keys()
    if not asked:
        return set()
    catalog, schema = options.get("catalog", session.catalog), options.get("schema", session.schema)
    if catalog not in session.spark.catalogs():
        return asked
    if "schema" in options and not session.spark.has_schema(catalog, schema):
        return {"schema"} if asked == {"schema"} else asked
    session.spark.go_to(catalog, schema)
    session.catalog, session.schema = catalog, schema
    return set()


def _in_zone(session: Session, pipeline: Pipeline, zone: str) -> bool:
    quoted = "'" + zone.replace("'", "''") + "'"
    try:
        for _ in pipeline.run(session, f"SET TIME ZONE {quoted}"):
            pass
    except SqeError:
        return False
    return True
