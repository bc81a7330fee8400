"""The shapes of what the API takes and gives, as JSON Schema, and the check of what it takes.

One declaration serves the OpenAPI document and the check, so they cannot disagree. The check knows the
keywords that are used here and no others.
"""

import math
import re
from typing import Any, Final

Schema = dict[str, Any]

MAX_URL = 4096
NO_CONTROLS = r"^[^\x00-\x1f\x7f]*$"


def text(most: int, help_: str, *, least: int = 0, pattern: str = "") -> Schema:
    """A string of limited length."""
    schema: Schema = {"type": "string", "maxLength": most, "description": help_}
    if least:
        schema["minLength"] = least
    if pattern:
        schema["pattern"] = pattern
    return schema


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    return {**schema, "type": [schema["type"], "null"]}


def struct(help_: str, **fields: Schema) -> Schema:
    """An object of an answer: all of its fields are there, and no others."""
    return {
        "type": "object",
        "description": help_,
        "required": list(fields),
        "properties": fields,
        "additionalProperties": False,
    }


def listing(schema: Schema, help_: str) -> Schema:
    """A list of an answer."""
    return {"type": "array", "items": schema, "description": help_}


NUMBER: Final[Schema] = {"type": "number"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
YES_NO: Final[Schema] = {"type": "boolean"}
STRING: Final[Schema] = {"type": "string"}
TIME: Final[Schema] = {"type": "number", "description": "Seconds since 1970-01-01T00:00:00Z."}

URL: Final[Schema] = {
    **text(MAX_URL, "Address of the page, http or https.", least=1, pattern=NO_CONTROLS),
    "examples": ["https://example.org/article"],
}
KEY = text(
    200,
    "Chosen by the sender. The same key from the same user is the same submission, so a request can be "
    "repeated safely. Without a key, an equal body is the same submission. Keys are kept for 30 days.",
    least=1,
    pattern=r"^[\x20-\x7e]+$",
)
USER = text(
    200,
    "Tells the users of one token apart. Only a salted hash of the token's name and of this is stored.",
    pattern=NO_CONTROLS,
)
PRIVATE = {
    "type": "boolean",
    "description": "Private content is not exported, not compared with what the crawler sees, and only seen "
    "by who sent it. Without this field, content from behind a login is private.",
}
LOGIN = {
    "type": "boolean",
    "description": "Whether the reader was signed in to the site. Without this field, a page with a way to "
    "sign out counts as behind a login.",
}
TAGS = {
    "type": "array",
    "maxItems": 50,
    "items": text(100, "One tag.", least=1, pattern=NO_CONTROLS),
    "description": "Tags of the reader.",
}
COMMENT = text(10_000, "Comment of the reader.", pattern=r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$")
SEEN = {
    **TIME,
    "minimum": 0,
    "description": "When the reader saw the page; a time in the future counts as now.",
}

SENT_PAGE: Final[Schema] = {
    "type": "object",
    "required": ["url"],
    "additionalProperties": False,
    "properties": {
        "url": URL,
        "html": {"type": "string", "description": "The page as the reader saw it. Not together with `text`."},
        "text": {"type": "string", "description": "Plain text instead of HTML."},
        "title": text(500, "Title as the browser showed it.", pattern=NO_CONTROLS),
        "tags": TAGS,
        "comment": COMMENT,
        "user": USER,
        "key": KEY,
        "private": PRIVATE,
        "login": LOGIN,
        "seen": SEEN,
    },
}
SENT_FILE: Final[Schema] = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {
            "type": "string",
            "contentMediaType": "text/html",
            "description": "A page saved by SingleFile or another tool. Its encoding is detected.",
        },
        "url": {
            **URL,
            "description": "Address of the page; SingleFile writes it into the file, so it may be left out.",
        },
        "tags": text(2000, "Tags, separated by commas.", pattern=NO_CONTROLS),
        "comment": COMMENT,
        "user": USER,
        "key": KEY,
        "private": {"type": "string", "enum": ["true", "false"], "description": PRIVATE["description"]},
    },
}
SENT_VISITS: Final[Schema] = {
    "type": "object",
    "required": ["visits"],
    "additionalProperties": False,
    "properties": {
        "visits": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1000,
            "items": {
                "type": "object",
                "required": ["url", "time"],
                "additionalProperties": False,
                "properties": {"url": URL, "time": {**TIME, "minimum": 0}},
            },
        },
        "user": USER,
        "key": KEY,
    },
}

ERROR = struct("Why a request was refused, and what to do.", error=STRING)
RECEIVED = struct(
    "What was received, on disk before this answer was sent.",
    id=STRING,
    status={"type": "string", "description": "Path with its state."},
    repeated={**YES_NO, "description": "It was received before, and is not stored twice."},
)
SUBMISSION = struct(
    "Something that a reader sent.",
    id=STRING,
    kind={"type": "string", "enum": ["page", "visits", "erase"]},
    state={
        "type": "string",
        "enum": ["received", "stored", "unchanged", "address", "refused", "spam", "done"],
        "description": "received: on disk, not in the archive yet; stored: a new version of the page; "
        "unchanged: the content was there; address: only an address, offered to the crawler; refused: see "
        "`reason`; spam: not kept; done: visits were counted, or submissions erased.",
    },
    reason=STRING,
    url=STRING,
    received=TIME,
    taken=nullable(TIME),
    private=YES_NO,
    tags=listing(STRING, "Tags of the reader."),
    comment=STRING,
    version=nullable({"type": "integer", "description": "Id of the version with its content."}),
    content_score=nullable(
        {"type": "integer", "description": "0 (not spam) to 99 (spam); null: not scored."}
    ),
    comment_score=nullable(
        {"type": "integer", "description": "0 (not spam) to 256 (spam); null: not scored."}
    ),
    spam=nullable({"type": "boolean", "description": "A score is above its threshold; null: not scored."}),
)
PAGE = struct(
    "A page of the archive.",
    url=STRING,
    host=STRING,
    title=STRING,
    language=STRING,
    mime=STRING,
    status={"type": "integer", "description": "HTTP status of the last visit; 0 without a response."},
    first_seen=TIME,
    last_visit=TIME,
    last_change=TIME,
    visits=COUNT,
    versions=COUNT,
    version=nullable({"type": "integer", "description": "Id of its newest version."}),
)
VERSION_FIELDS: Final[dict[str, Schema]] = {
    "id": {"type": "integer"},
    "url": STRING,
    "time": TIME,
    "status": {"type": "integer"},
    "mime": STRING,
    "charset": STRING,
    "digest": {"type": "string", "description": "SHA-1 of the payload in base32, as in its WARC record."},
    "size": COUNT,
    "origin": {"type": "string", "description": "crawler, or reader if a reader sent it."},
    "private": YES_NO,
}
VERSION = struct("One state of the content of a page.", **VERSION_FIELDS)
VERSION_TEXT = struct("A version with its text.", **VERSION_FIELDS, text=STRING, title=STRING)
SCORES = struct(
    "Spam scores of a page and of what readers said about it. Higher is more likely spam.",
    url=STRING,
    content=listing(
        struct("Score of one submission's content.", submission=STRING, time=TIME, score={"type": "integer"}),
        "Scores of contents that readers sent, newest first: 0 to 99, spam above `content_threshold`.",
    ),
    comments=listing(
        struct(
            "Score of one submission's comment and tags.",
            submission=STRING,
            time=TIME,
            score={"type": "integer"},
        ),
        "Scores of comments and tags, newest first: 0 to 256, spam above `comment_threshold`.",
    ),
    content_threshold={"type": "integer"},
    comment_threshold={"type": "integer"},
    spam=nullable(
        {"type": "boolean", "description": "The newest score of the content is above the threshold."}
    ),
)
KNOWN = struct(
    "What the archive knows of an address.",
    url={"type": "string", "description": "The canonical form of the address."},
    known={**YES_NO, "description": "The page was requested, or a reader sent it."},
    stored={**YES_NO, "description": "There is content that you may see."},
    last_visit=nullable(TIME),
    last_change=nullable(TIME),
    versions=COUNT,
    mine={**COUNT, "description": "Submissions of this page by you."},
    title=STRING,
    content_score=nullable(
        {"type": "integer", "description": "0 (not spam) to 99 (spam); null: not scored."}
    ),
    spam=nullable(YES_NO),
    topic=nullable(
        {"type": "number", "description": "How likely it is on the topic of the archive, 0 to 1."}
    ),
)
HEALTH = struct("The server can read the archive.", status=STRING, version=STRING)
MINE = struct("What the archive holds from you.", submissions=COUNT, visits=COUNT, pending=COUNT)


def invalid(value: Any, schema: Schema, where: str = "the body") -> str:
    """Why a value does not fit a schema, or an empty string."""
    kind = schema.get("type")
    if kind == "object":
        return _invalid_object(value, schema, where)
    if kind == "array":
        if not isinstance(value, list):
            return f"{where} must be a list"
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf):
            return f"{where} must have {schema.get('minItems', 0)} to {schema['maxItems']} entries"
        reasons = (invalid(one, schema["items"], f"{where}[{n}]") for n, one in enumerate(value))
        return next(filter(None, reasons), "")
    if kind == "string":
        return _invalid_string(value, schema, where)
    if kind == "boolean":
        return "" if isinstance(value, bool) else f"{where} must be true or false"
    if isinstance(value, bool) or not isinstance(value, int if kind == "integer" else int | float):
        return f"{where} must be a number"
    if not abs(value) < 1e15:
        return f"{where} is not a sensible number"
    if not schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf):
        return f"{where} is out of range"
    return ""


def _invalid_object(value: Any, schema: Schema, where: str) -> str:
    if not isinstance(value, dict):
        return f"{where} must be an object"
    known = schema["properties"]
    if missing := [name for name in schema.get("required", ()) if name not in value]:
        return f"{where} needs the field {missing[0]!r}"
    if unknown := [name for name in value if name not in known]:
        return f"{where} has an unknown field {unknown[0][:50]!r}; known are {', '.join(known)}"
    reasons = (
        invalid(one, known[name], name if where == "the body" else f"{where}.{name}")
        for name, one in value.items()
    )
    return next(filter(None, reasons), "")


def _invalid_string(value: Any, schema: Schema, where: str) -> str:
    if not isinstance(value, str):
        return f"{where} must be a string"
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", math.inf):
        least = schema.get("minLength", 0)
        return f"{where} must have {least} to {schema.get('maxLength', 'any number of')} characters"
    if schema.get("enum") and value not in schema["enum"]:
        return f"{where} must be one of {', '.join(schema['enum'])}"
    if not value.isascii() and re.search("[\ud800-\udfff]", value):
        return f"{where} has a lone surrogate, which is no character"
    if (pattern := schema.get("pattern")) and re.search(pattern.replace("$", r"\Z"), value) is None:
        return f"{where} has control characters or others that are not allowed"
    return ""
