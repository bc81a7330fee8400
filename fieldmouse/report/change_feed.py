"""Changes as feeds: Atom, and JSON Feed 1.1. Text of pages is escaped, and stands only as text."""

import json
import re
import uuid
from collections.abc import Sequence
from html import escape

from .changes import ShownChange, difference_text, place_words

# What XML does not allow, and overrides of the direction: they would turn what follows them in a list.
_REFUSED = re.compile("[^\t\n\r\u0020-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ATOM, JSON_FEED = "atom", "json"
MEDIA_TYPES = {ATOM: "application/atom+xml", JSON_FEED: "application/feed+json"}


def change_feed(kind: str, title: str, changes: Sequence[ShownChange], now: str) -> str:
    """A feed of changes, the newest first; `now` is its time if it is empty."""
    return (_atom if kind == ATOM else _json)(title, changes, changes[0].time if changes else now)


def change_id(change: ShownChange) -> str:
    """The same for the same change, in every feed and message."""
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{change.url}#{change.time}')}"


def headline(change: ShownChange) -> str:
    """The title of a page and the first thing that changed."""
    first = difference_text(change.differences[0]) if change.differences else ", ".join(change.kinds)
    return f"{change.title}: {first}" if first else change.title


def change_html(change: ShownChange) -> str:
    """The differences of a change as a list."""
    items = [
        f"<li>{escape(place_words(one))}: "
        + " ".join(
            f"<{tag}>{escape(text)}</{tag}>"
            for tag, text in (("del", one.before), ("ins", one.after))
            if text
        )
        + f"<br><small>{escape(one.why)}; mute: <code>{escape(one.mute)}</code></small></li>"
        for one in change.differences
    ]
    more = f"<p>and {change.more} more</p>" if change.more else ""
    return f"<ul>{''.join(items)}</ul>{more}"


def _atom(title: str, changes: Sequence[ShownChange], updated: str) -> str:
    def text(value: str) -> str:
        return escape(_clean(value))

    feed_id = uuid.uuid5(uuid.NAMESPACE_URL, f"fieldmouse {_clean(title)}")
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{text(title)}</title>",
        f"<id>urn:uuid:{feed_id}</id>",
        f"<updated>{updated}</updated>",
        "<author><name>Fieldmouse</name></author>",
    ]
    for one in changes:
        lines += [
            "<entry>",
            f"<title>{text(headline(one))}</title>",
            f"<id>{change_id(one)}</id>",
            f'<link rel="alternate" href="{text(one.url)}"/>',
            f"<updated>{one.time}</updated>",
            *(f'<category term="{text(kind)}"/>' for kind in one.kinds),
            f'<content type="html">{text(change_html(one))}</content>',
            "</entry>",
        ]
    return "\n".join([*lines, "</feed>", ""])


def _json(title: str, changes: Sequence[ShownChange], updated: str) -> str:
    del updated
    items = [
        {
            "id": change_id(one),
            "url": one.url,
            "title": _clean(headline(one)),
            "content_html": _clean(change_html(one)),
            "date_published": one.time,
            "tags": list(one.kinds),
        }
        for one in changes
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": _clean(title), "items": items}
    return json.dumps(feed, ensure_ascii=False, indent=1) + "\n"


def _clean(text: str) -> str:
    """A text in which what XML does not allow, or what turns the direction, is replaced."""
    return _REFUSED.sub("\N{REPLACEMENT CHARACTER}", text)
