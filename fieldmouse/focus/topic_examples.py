"""The example pages of a topic, in a file next to it: a crawl learns from them before its first request.

A line of JSON for each page: its address or file, whether it is on the topic, its title and its text.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from fieldmouse.errors import UsageError

from .topic import Topic, replace_text

LONGEST = 50_000  # characters of a text; what a page is about is said by then


class TopicExample(NamedTuple):
    """A page labelled as on the topic or off it."""

    url: str
    relevant: bool
    text: str  # its first line is the title


def examples_file(topic: Path) -> Path:
    """Where the examples of a topic's file are kept."""
    return topic.with_suffix(".examples.jsonl")


def save(examples: Iterable[TopicExample], topic: Path) -> None:
    """Keep the examples of a topic."""
    rows = (json.dumps(one._asdict(), ensure_ascii=False) for one in examples)
    replace_text(examples_file(topic), "".join(f"{row}\n" for row in rows))


def contradiction(examples: Iterable[TopicExample]) -> tuple[str, str] | None:
    """Two examples with the same words and different labels, if there are any."""
    seen: dict[str, TopicExample] = {}
    for one in examples:
        other = seen.setdefault(" ".join(one.text.split()), one)
        if other.relevant is not one.relevant:
            return other.url, one.url
    return None


def load(file: Path, topic: Topic) -> list[TopicExample]:
    """The examples of a topic; labels in the file of the topic override those of the examples."""
    path = examples_file(file)
    try:
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        found = [
            TopicExample(one["url"], bool(one["relevant"]), one["text"]) for one in map(json.loads, lines)
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} cannot be read ({error}); build the topic again with `topic build`"
        ) from None
    good, bad = set(topic.relevant), set(topic.irrelevant)
    return [one._replace(relevant=one.url in good or (one.relevant and one.url not in bad)) for one in found]
