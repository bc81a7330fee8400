"""Posts from streams and exports: JSON lines, JSON documents, CSV, RSS, Atom and text.

The kind of a file is seen from its beginning. A field is found by the names that services use for it; the
reference on posts has the table. One post is held at a time, but a JSON document is read whole.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import chain
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from fieldmouse.errors import ImportFailed
from fieldmouse.files.text_lines import CsvRows, TextLines
from fieldmouse.page.addresses import FoundAddress, find_addresses, find_html_addresses, is_html, plain

TEXT = (
    *("full_text", "text", "content", "content_html", "content_text", "body", "message", "selftext"),
    *("summary", "description", "note"),
)
TITLE = ("title", "name", "subject")
TIME = (
    *("created_at", "published", "date_published", "time", "date", "timestamp", "created_utc", "pubdate"),
    *("createdat", "posted", "datetime", "updated"),
)
AUTHOR = (
    "author",
    "authors",
    "user",
    "account",
    "actor",
    "attributedto",
    "username",
    "screen_name",
    "by",
    "from",
    "creator",
)
ID = ("id", "uri", "guid", "id_str", "permalink")
LINK = ("url", "link", "links", "expanded_url", "urls", "card", "entities", "external_url")
FEDERATED = ("uri", "attributedto", "account", "inreplyto")  # `url` is then the address of the post itself
NAMES = ("acct", "handle", "screen_name", "username", "preferredusername", "name", "id", "url")
POSTS = ("ordereditems", "items", "statuses", "posts", "data", "tweets", "entries", "children")
LARGEST_DOCUMENT = 512 * 1024 * 1024

# The files of a Twitter archive are scripts: window.YTD.tweets.part0 = [
_ASSIGNED = re.compile(r"^\s*window\.YTD\.[\w.]+\s*=\s*")
OWN_LINKS = ("self", "edit", "replies", "enclosure", "license", "next", "previous")  # of an entry, in Atom


class Post(NamedTuple):
    """What somebody wrote, as a file has it."""

    id: str  # of its service; empty if unknown
    author: str
    time: float | None
    addresses: tuple[FoundAddress, ...]
    text: str


class LeftOut(NamedTuple):
    """A part of the file that is no post, and why."""

    reason: str


def posts(lines: TextLines) -> Iterator[Post | LeftOut]:
    """The posts of a file."""
    text = lines.text()
    first = next((line for line in text if line.strip()), "")
    first = _ASSIGNED.sub("", first)
    start = first.lstrip()
    every = chain([first], text)
    if start.startswith(("<?xml", "<rss", "<feed", "<rdf", "<RDF")):
        return _from_feed(every)
    if start.startswith(("{", "[")):
        return _from_json(first, every)
    for separator in ",;\t":
        names = _columns(first, separator)
        if len(names) > 1 and set(names) & {*TEXT, *TITLE, *LINK}:
            return _from_csv(names, text, separator)
    return (_post({"text": line}) for line in every)


def _columns(line: str, separator: str) -> list[str]:
    """The names of columns in a line of CSV; none if it is no CSV."""
    try:
        found = next(csv.reader([line.rstrip("\r\n")], delimiter=separator), [])
    except csv.Error:
        return []
    return [name.strip().lower().replace(" ", "_") for name in found]


def _from_json(first: str, every: Iterable[str]) -> Iterator[Post | LeftOut]:
    """JSON lines, or one document with a list of posts in it."""
    try:
        document = json.loads(first)
    except ValueError:
        document = None
    if isinstance(document, dict) and _listed(document) is None:
        for line in every:
            if line.strip():
                yield from _of_value(_loaded(line))
        return
    if document is None and re.match(r"\s*[\[{]\s*$|\s*\[", first) is None:
        for line in every:  # JSON lines whose first line is broken
            if line.strip():
                yield from _of_value(_loaded(line))
        return
    parts, size = [], 0
    for line in every:
        parts.append(line)
        if (size := size + len(line)) > LARGEST_DOCUMENT:
            raise ImportFailed("the JSON document is larger than 512 MiB; convert it to JSON lines")
    yield from _of_value(_loaded("".join(parts)))


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return LeftOut("not JSON")


def _listed(value: Mapping[str, Any]) -> list[Any] | None:
    """The posts in a document, as ActivityPub and others wrap them."""
    for key, one in value.items():
        if key.lower() in POSTS and isinstance(one, list):
            return one
    return None


def _of_value(value: Any) -> Iterator[Post | LeftOut]:
    """The posts of a JSON value."""
    if isinstance(value, LeftOut):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _of_value(one)
    elif isinstance(value, dict):
        if (inside := _listed(value)) is not None and not any(name in value for name in TEXT):
            yield from _of_value(inside)
            return
        for wrapper in (
            "object",
            "tweet",
            "status",
            "data",
            "reblog",
        ):  # Create {object}, {tweet}, Reddit {data}
            if isinstance(value.get(wrapper), dict) and not any(value.get(name) for name in TEXT):
                outer = {key: one for key, one in value.items() if key != wrapper}
                yield from _of_value({**outer, **value[wrapper]})
                return
        if value.get("type") in ("Announce", "Like", "Follow", "Delete"):
            yield LeftOut("a boost or a like, without words")
        else:
            yield _post(value)
    elif isinstance(value, str):
        yield _post({"text": value})
    else:
        yield LeftOut("not a post")


def _from_csv(names: list[str], lines: Iterator[str], separator: str) -> Iterator[Post | LeftOut]:
    rows = CsvRows(lines, delimiter=separator)
    while True:
        try:
            row = next(rows, None)
        except csv.Error:
            yield LeftOut("not CSV")
            continue
        if row is None:
            return
        if len(row) == len(names):
            yield _post(dict(zip(names, row, strict=True)))
        elif row:
            yield LeftOut("other number of columns than the first line")


def _from_feed(lines: Iterable[str]) -> Iterator[Post | LeftOut]:
    """The items of RSS and the entries of Atom, as they are read."""
    parser: Any = ET.XMLPullParser(["end"])
    try:
        for line in lines:
            parser.feed(line)
            for _, element in parser.read_events():
                if _tag(element) in ("item", "entry"):
                    yield _post(_feed_fields(element))
                    element.clear()
        parser.close()
    except ET.ParseError as error:
        yield LeftOut(f"the rest of the feed is not XML: {error}")


def _feed_fields(element: ET.Element) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    links: list[str] = []
    for one in element:
        name, text = _tag(one), "".join(one.itertext()).strip()
        if name == "link":
            if one.get("rel", "") not in OWN_LINKS:
                links.append(one.get("href") or text)
        elif name in ("encoded", "content", "summary", "description"):
            fields["text"] = max(fields.get("text", ""), text, key=len)
        elif text and name not in fields:
            fields[name] = text
    return fields | {"links": [link for link in links if link]}


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _post(value: Mapping[str, Any]) -> Post | LeftOut:
    """A post by its fields."""
    fields = {str(key).lower(): one for key, one in value.items()}
    parts = [str(fields[name]) for name in (*TITLE[:1], *TEXT) if isinstance(fields.get(name), str)]
    text = "\n".join(dict.fromkeys(part for part in parts if part.strip()))
    html = is_html(text)
    found = find_html_addresses(text) if html else find_addresses(text)
    words = " ".join((plain(text) if html else text).split()[:40])
    named = {one.url: one for one in found}
    federated = not fields.keys().isdisjoint(FEDERATED)
    for name in LINK[federated:]:
        for url in _urls(fields.get(name)):
            named.setdefault(url, FoundAddress(url, "", words))
    if not text.strip() and not named:
        return LeftOut("no text")
    if not named:
        return LeftOut("no address in it")
    author = next((who for name in AUTHOR if (who := _name(fields.get(name)))), "")
    time = next((when for name in TIME if (when := _time(fields.get(name))) is not None), None)
    id_ = next((str(fields[name]) for name in ID if isinstance(fields.get(name), str | int)), "")
    return Post(id_, author, time, tuple(named.values()), text)


def _urls(value: Any) -> Iterator[str]:
    """The addresses in a field for links: a text, a list, or objects with a field for a URL."""
    if isinstance(value, str) and value.lower().startswith(("http://", "https://")):
        yield value.strip()
    elif isinstance(value, list):
        for one in value[:100]:
            yield from _urls(one)
    elif isinstance(value, dict):
        for name in ("expanded_url", "unwound_url", "url", "href", "urls"):
            if value.get(name):
                yield from _urls(value[name])
                return


def _name(value: Any) -> str:
    if isinstance(value, list) and value:  # in a JSON feed
        value = value[0]
    if isinstance(value, dict):
        lower = {str(key).lower(): one for key, one in value.items()}
        return next((str(lower[name]) for name in NAMES if isinstance(lower.get(name), str | int)), "")
    return str(value) if isinstance(value, str | int) and value else ""


def _time(value: Any) -> float | None:
    """Seconds since the epoch of a number, ISO 8601, RFC 2822, Twitter's form, 31.12.2026; or None."""
    if isinstance(value, bool) or value in (None, ""):
        return None
    try:
        number = float(value)
        return number / (1000 if number > 1e11 else 1) if 0 < number < 1e14 else None
    except (TypeError, ValueError):
        text = str(value).strip()
    for read in (datetime.fromisoformat, parsedate_to_datetime, _twitter_time, _dotted_time):
        try:
            when = read(text)
        except (ValueError, TypeError, IndexError):
            continue
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    return None


def _twitter_time(text: str) -> datetime:
    return datetime.strptime(text, "%a %b %d %H:%M:%S %z %Y")


def _dotted_time(text: str) -> datetime:
    day, _, hour = text.partition(" ")
    return datetime.strptime(f"{day} {hour or '00:00'}"[:16], "%d.%m.%Y %H:%M")
