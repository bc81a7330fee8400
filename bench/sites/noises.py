"""What differs between two fetches although nobody changed the page.

A noise draws its pool and its place from `steady`, which is the same at each fetch, and what it shows now
from `draw`, which is another one at each.
"""

import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from .markup import Box
from .words import Words

HOUR, DAY = 3_600.0, 86_400.0


class Moment(NamedTuple):
    """One fetch of one page."""

    time: float
    page: int
    visit: int
    control: bool  # a second fetch minutes after the visit


Noise = Callable[[Words, random.Random, random.Random, Moment], Box | None]


def ad(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """One of several advertisements."""
    pool = [words.drawn("ads", steady) for _ in range(steady.randint(5, 12))]
    slot, title, named = (
        steady.choice(("top", "after", "side")),
        steady.choice(words["ad_title"]),
        steady.random() < 0.5,
    )
    return Box(
        slot,
        "ad",
        [draw.choice(pool)],
        title if steady.random() < 0.6 else "",
        linked=steady.random() < 0.5,
        shows_name=named,
    )


def related(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """Some of many links."""
    pool = list(dict.fromkeys(words.drawn("headlines", steady) for _ in range(steady.randint(12, 30))))
    count = steady.randint(3, 5)
    return Box(
        steady.choice(("after", "side")), "related", draw.sample(pool, count),
        steady.choice(words["related_title"]), linked=True, shows_name=steady.random() < 0.5,
    )  # fmt: skip


def views(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """How often the page was read; every fetch is one more."""
    pattern, slot = steady.choice(words["views"]), steady.choice(("head", "after", "foot"))
    begin, daily = steady.randint(100, 9_000), steady.randint(8, 400)
    own = random.Random(f"{begin}/{moment.page}").randint(0, 3_000)
    read = begin + own + int(moment.time % (400 * DAY) / DAY * daily) + moment.visit * 2 + moment.control
    return Box(slot, "views", [pattern.format(n=words.number(read))], shows_name=steady.random() < 0.5)


def online(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """How many people are there now."""
    pattern, slot = steady.choice(words["online"]), steady.choice(("head", "side", "foot"))
    return Box(slot, "online", [pattern.format(n=draw.randint(2, 97))], shows_name=steady.random() < 0.5)


def clock(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """The time of day, in the time zone of the server."""
    pattern, slot = steady.choice(words["clock"]), steady.choice(("top", "side", "foot"))
    form = steady.choice(("%H:%M", "%H:%M:%S"))
    shown = datetime.fromtimestamp(moment.time + steady.choice((0, 1, 2, 9)) * HOUR, UTC).strftime(form)
    return Box(slot, "clock", [pattern.format(time=shown)])


def today(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """The date of today."""
    pattern, slot = steady.choice(words["today"]), steady.choice(("top", "side", "foot"))
    return Box(slot, "date", [pattern.format(date=words.date(moment.time))])


def ago(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """So many minutes ago."""
    pattern, slot = steady.choice(words["ago"]), steady.choice(("head", "after", "foot"))
    return Box(slot, "updated", [pattern.format(n=draw.randint(2, 59))])


def token(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """A number of the request that readers can see."""
    pattern = steady.choice(words["token"])
    form = steady.choice(("{:016x}", "{:032x}", "{:020d}"))
    size = 64 if form != "{:032x}" else 128
    return Box(
        steady.choice(("after", "foot")),
        "request",
        [pattern.format(code=form.format(draw.getrandbits(size)))],
    )


def cookie(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box | None:  # noqa: ARG001
    """A banner that is shown now and then."""
    box = Box(
        steady.choice(("top", "foot")), "cookie-banner", [words["cookie"]], shows_name=steady.random() < 0.6
    )
    return box if draw.random() < 0.5 else None


def popup(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box | None:  # noqa: ARG001
    """A request for an address that is shown now and then."""
    box = Box(
        steady.choice(("top", "after")), "newsletter", [words["popup"]], shows_name=steady.random() < 0.5
    )
    return box if draw.random() < 0.4 else None


def slogan(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """One of two or three texts that are tried on visitors."""
    texts = words["slogans"][: steady.choice((2, 3))]
    return Box(
        steady.choice(("top", "side", "after")), "promo", [draw.choice(texts)], linked=steady.random() < 0.5
    )


def shuffled(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """The same links in another order."""
    pool = steady.sample(words["names"], steady.randint(4, 7))
    slot = steady.choice(("after", "side"))
    return Box(slot, "brands", draw.sample(pool, len(pool)), words["shuffled_title"], linked=True)


def served(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """The server that answered."""
    pattern, host = steady.choice(words["served"]), steady.choice(words["hosts"])
    return Box("foot", "server", [pattern.format(host=f"{host}-{draw.randint(1, 24):02}")])


def daily(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """A box of the whole site that is another one each day."""
    slot, title, seed, pool = (
        steady.choice(("after", "side")),
        steady.choice(words["daily_title"]),
        steady.random(),
        steady.choice((5, 7, 10_000)),
    )
    chosen = random.Random(f"{seed}/{int(moment.time // DAY) % pool}")
    return Box(slot, "daily", [words.drawn("sentences", chosen)], title, shows_name=steady.random() < 0.5)


def popular(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """What the whole site reads most; another list every few hours."""
    slot, title, seed = (
        steady.choice(("after", "side")),
        steady.choice(words["popular_title"]),
        steady.random(),
    )
    pool = list(dict.fromkeys(words.drawn("headlines", steady) for _ in range(14)))
    lines = random.Random(f"{seed}/{int(moment.time // (6 * HOUR))}").sample(pool, 4)
    return Box(slot, "popular", lines, title, linked=True, shows_name=steady.random() < 0.5)


def generated(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """How long it took to make the page."""
    took = words.number(draw.randint(11, 940) / 1000, 3)
    return Box("foot", "generated", [words["generated"].format(n=took, m=draw.randint(9, 60))])


def likes(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """How many people like the page, rounded as such counts are."""
    begin, daily = steady.randint(200, 9_000), steady.randint(2, 60)
    own = random.Random(f"{begin}/{moment.page}").randint(0, 3_000)
    count = begin + own + int(moment.time % (400 * DAY) / DAY * daily)
    return Box(steady.choice(("head", "after")), "likes", [words["likes"].format(n=words.number(count))])


def quote(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """What a customer said, one of many."""
    pool = [(words.drawn("short", steady), words.person(steady)) for _ in range(steady.randint(8, 20))]
    return Box(
        steady.choice(("side", "after")), "quote", draw.choice(pool), steady.choice(("", words["quote"]))
    )


def visitor(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """The address of who reads the page, which is one of those of the crawler."""
    number = f"198.51.100.{draw.randint(2, 250)}"
    return Box(steady.choice(("top", "foot")), "visitor", [words["visitor"].format(n=number)])


def task(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """A sum that keeps robots from writing."""
    pattern = words["task"]
    return Box("after", "task", [pattern.format(n=draw.randint(2, 9), m=draw.randint(2, 9))])


def bought(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """What somebody bought a moment ago."""
    return Box(steady.choice(("after", "side")), "toast", [words.fill(words["bought"], draw)])


BOXES: Mapping[str, Noise] = {
    noise.__name__: noise
    for noise in (
        ad, related, views, online, clock, today, ago, token, cookie, popup, slogan, shuffled, served,
        daily, popular, generated, likes, quote, visitor, task, bought,
    )
}  # fmt: skip

# These came later, for the part `further`.
LATER_NOISES = ("generated", "likes", "quote", "visitor", "task", "bought")

# Of the next, three are no boxes: a hidden nonce, a session id in all links, the year of the copyright.
NOISES = (*(name for name in BOXES if name not in LATER_NOISES), "nonce", "session", "year")
FURTHER_NOISES = (*NOISES, *LATER_NOISES)
