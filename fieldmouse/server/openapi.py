"""An endpoint of the API as data, and the OpenAPI document that all of them make."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from fieldmouse.store.inbox_contract import Role
from fieldmouse.version import VERSION

from .api_schema import ERROR, Schema

if TYPE_CHECKING:
    from .api import ApiCall

# What every endpoint with a token may answer.
REFUSALS = {
    400: "The request is malformed; the text says where.",
    401: "The token is missing, unknown or revoked.",
    403: "The token has not the role, or another web page sent the request.",
    429: "Too many requests for this token; `Retry-After` says when to try again.",
    431: "The headers are too long.",
    503: "Nothing more can be stored now; `Retry-After` says when to try again.",
}
BODY_REFUSALS = {
    408: "The body took longer than `serve.body_seconds`.",
    413: "The body has more than `serve.max_body` bytes.",
    415: "The body has another media type or a content coding.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiEndpoint:
    """One method of one path."""

    method: str
    path: str
    name: str
    summary: str
    roles: tuple[Role, ...]  # one of them is needed; none: no token is needed
    handle: "Callable[[ApiCall], Awaitable[Response]]"
    query: Mapping[str, Schema] = field(default_factory=dict)  # parameters
    required: tuple[str, ...] = ()  # of the parameters
    bodies: Mapping[str, Schema] = field(default_factory=dict)  # by media type
    answers: Mapping[int, tuple[str, Schema | None]] = field(default_factory=dict)
    media: str = "application/json"  # of an answer of 200


def document(endpoints: Sequence[ApiEndpoint]) -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for one in endpoints:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Fieldmouse",
            "version": VERSION,
            "description": "Send pages and visits to an archive, and read what it holds.",
        },
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(one: ApiEndpoint) -> dict[str, Any]:
    parameters = [
        {"name": name, "in": "query", "required": name in one.required, "schema": schema}
        for name, schema in one.query.items()
    ]
    parameters += [
        {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "string", "maxLength": 100}}
        for part in one.path.split("/")
        if part.startswith("{")
    ]
    if one.bodies:
        # Blanks around the value of a header do not arrive.
        shape = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"^[\t\x20-\x7e]+$"}
        parameters.append(
            {"name": "Idempotency-Key", "in": "header", "required": False, "schema": shape,
             "description": "The same as the field `key`."}
        )  # fmt: skip
    answers = {
        str(status): _answer(text, schema, one.media if status == 200 else "application/json")
        for status, (text, schema) in sorted(one.answers.items())
    }
    refusals = {400: REFUSALS[400], 403: REFUSALS[403], 431: REFUSALS[431]}
    refusals |= REFUSALS if one.roles else {}
    refusals |= BODY_REFUSALS if one.bodies else {}
    for status, text in refusals.items():
        answers.setdefault(str(status), _answer(text, ERROR, "application/json"))
    operation: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.summary,
        "parameters": parameters,
        "responses": dict(sorted(answers.items())),
        "security": [{"token": []}] if one.roles else [],
    }
    if one.roles:
        operation["description"] = f"Needs a token with the role {' or '.join(one.roles)}, or administer."
    if one.bodies:
        content = {media: {"schema": schema} for media, schema in one.bodies.items()}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _answer(text: str, schema: Schema | None, media: str) -> dict[str, Any]:
    return {"description": text, **({"content": {media: {"schema": schema}}} if schema else {})}
