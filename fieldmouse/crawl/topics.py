"""Where an archive keeps its topics, and a guide made ready for one of them."""

import logging
import re
from pathlib import Path

from fieldmouse.archive.store import Store
from fieldmouse.errors import UsageError
from fieldmouse.focus import examples, topic, wordnet
from fieldmouse.focus.guide import Guide, Limits, Tally
from fieldmouse.focus.topic import Topic
from fieldmouse.settings import Settings

from .focusing import Focusing

log = logging.getLogger(__name__)

FOLDER = "topics"  # of an archive


def topic_file(folder: Path, name: str) -> Path:
    """Where a topic is kept: a file that was named, or one of the archive's by the topic's words."""
    if name.endswith(".toml") or "/" in name:
        return Path(name)
    return folder / FOLDER / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-') or 'topic'}.toml"


def find(folder: Path, name: str) -> Topic:
    """A topic by its name or file."""
    file = topic_file(folder, name)
    if not file.exists():
        raise UsageError(
            f'there is no topic {name!r} ({file} is missing); make it with `topic build "{name}"`'
        )
    return topic.load(file)


def focusing(store: Store, settings: Settings) -> Focusing | None:
    """Whoever keeps a crawl to its topic, with all that was learned before; None without a topic."""
    if not settings.focus.topic:
        return None
    found = find(store.folder, settings.focus.topic)
    guide = _resumed(store, found, settings) or _new(store, found, settings)
    pages, relevant = store.judged(found.name)
    guide.tally = Tally(relevant, pages - relevant)
    return Focusing(guide, spread=settings.focus.spread)


def _limits(settings: Settings) -> Limits:
    return Limits(level=settings.focus.level_limit, remember=settings.focus.remember)


def _resumed(store: Store, found: Topic, settings: Settings) -> Guide | None:
    """The guide as it was at the last commit, unless the topic was edited since."""
    data = store.learned(found.name, settings.focus.learner)
    if data is None:
        return None
    guide = Guide.from_bytes(data, wordnet.load(), limits=_limits(settings))
    if guide.topic == found:
        return guide
    log.warning("the topic %r was edited: what was learned by it so far is left aside", found.name)
    return None


def _new(store: Store, found: Topic, settings: Settings) -> Guide:
    """A guide that knows the topic's examples and nothing else."""
    guide = Guide(found, wordnet.load(), learner=settings.focus.learner, limits=_limits(settings))
    for one in examples.load(topic_file(store.folder, settings.focus.topic), found):
        guide.teach(one.url, one.page, one.relevant)
        if not one.relevant:
            guide.labels.pop(one.url, None)
    return guide
