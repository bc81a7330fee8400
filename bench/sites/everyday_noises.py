"""What differs on pages of the part `everyday` although nobody changed them.

Each noise has one form for a site, drawn once, and shows something else at each fetch. A template decides
where it stands and in what markup.
"""

import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from .everyday_kinds import FIRST, GOODS, LAST, MAKERS, TOWNS, headline, said, value
from .noises import DAY, Moment


class Widget(NamedTuple):
    """Something beside the content. Lines are texts; goods are names with prices; links are headlines."""

    name: str
    title: str = ""
    lines: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    goods: tuple[tuple[str, str], ...] = ()


Draw = Callable[[random.Random, random.Random, Moment], Widget | None]


def banner(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """An advertisement of several."""
    pool = [
        f"{site.choice(MAKERS)}: {site.choice(('save', 'win', 'get', 'enjoy'))} {site.randint(5, 70)}"
        f"{site.choice((' points', ' euros off', f'% off all {site.choice(GOODS)}s', ' free days'))}"
        for _ in range(site.randint(4, 9))
    ]
    return Widget(site.choice(("ad", "promo", "hero")), "", (now.choice(pool),))


def two_banners(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Advertisements of two lines."""
    pool = [(f"{site.choice(MAKERS)} {site.choice(GOODS)}", said(site)) for _ in range(site.randint(6, 15))]
    return Widget(
        site.choice(("ad", "partner")), site.choice(("Sponsored", "Advertisement", "")), now.choice(pool)
    )


def related(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Links to other pages."""
    pool = list(dict.fromkeys(headline(site) for _ in range(site.randint(10, 40))))
    title = site.choice(("Related articles", "Read next", "You may also like"))
    return Widget("related", title, links=tuple(now.sample(pool, min(len(pool), site.randint(3, 6)))))


def similar(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Goods with their prices."""
    pool = [
        (f"{site.choice(MAKERS)} {site.choice(GOODS)} {site.randint(100, 999)}", value("price", site))
        for _ in range(site.randint(9, 24))
    ]
    title = site.choice(("Customers also bought", "Similar items", "Deals for you"))
    return Widget("similar", title, goods=tuple(now.sample(pool, site.randint(3, 4))))


def hits(site: random.Random, now: random.Random, at: Moment) -> Widget:
    """A counter of readers."""
    start, pace = site.randint(50, 90_000), site.randint(3, 900)
    own = random.Random(f"{start}{at.page}").randint(0, 900)
    read = start + own + int((at.time % (300 * DAY)) / DAY * pace) + now.randint(1, 3) + at.visit * 4
    text = site.choice(("Views: {}", "{} views", "This page has been viewed {} times", "Visitor no. {}"))
    return Widget("views", "", (text.format(f"{read:,}" if site.random() < 0.6 else read),))


def looking(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """How many others are here."""
    text = site.choice(
        ("{} people are looking at this right now", "Users online: {}", "{} guests, 2 members")
    )
    return Widget("online", "", (text.format(now.randint(2, 60)),))


def clock(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """The time at the server."""
    form = site.choice(
        (
            "%Y-%m-%d %H:%M:%S UTC",
            "%a, %d %b %Y %H:%M",
            "%d.%m.%Y, %H:%M",
            "%B %d, %Y at %I:%M %p",
            "%H:%M:%S",
        )
    )
    text = site.choice(("Last updated: {}", "Server time: {}", "{}", "Page generated {}"))
    return Widget("clock", "", (text.format(datetime.fromtimestamp(at.time, UTC).strftime(form)),))


def took(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """How long it took."""
    text = site.choice(("Rendered in {} ms", "Page loaded in 0.{} seconds", "Query time 0.{}s, 14 queries"))
    return Widget("debug", "", (text.format(now.randint(11, 999)),))


def token(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """A number of the request."""
    code = f"{now.getrandbits(64):016x}"
    form = site.choice((code, code[:8], code.upper()[:12], f"{code[:4]}-{code[4:8]}-{code[8:12]}"))
    text = site.choice(("Request ID: {}", "Ref {}", "Session {}", "build {}"))
    return Widget("token", "", (text.format(form),))


def consent(site: random.Random, now: random.Random, at: Moment) -> Widget | None:  # noqa: ARG001
    """A banner that is there or not."""
    text = site.choice(
        (
            "We use cookies to improve your experience. By continuing you accept our policy.",
            "This website uses cookies. Accept all or manage your choices.",
            "Your privacy matters to us and our 214 partners.",
        )
    )
    return Widget("cookie", "", (text, "Accept")) if now.random() < 0.5 else None


def tested(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """A text that is tried on visitors."""
    texts = site.choice(
        (
            ("Sign up now", "Join free today", "Create your account"),
            ("Free delivery on all orders over $50", "Order before noon and get it tomorrow"),
            ("Subscribe to our newsletter", "Get our best stories by mail", "Never miss a story"),
            ("Need help? Call us.", "Questions? Chat with an expert."),
        )
    )
    return Widget("cta", "", (now.choice(texts),))


def tags(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Links in any order."""
    pool = site.sample(TOWNS, site.randint(5, 9))
    return Widget(
        "tags",
        site.choice(("Popular tags", "Our partners", "Browse")),
        links=tuple(now.sample(pool, len(pool))),
    )


def some_tags(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """A cloud that shows some."""
    pool = [*TOWNS, *GOODS]
    return Widget("tags", "Tags", links=tuple(now.sample(pool, site.randint(5, 9))))


def voice(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """What a customer says."""
    pool = [
        (f"“{said(site)}”", f"{site.choice(FIRST)} {site.choice(LAST)[0]}.")
        for _ in range(site.randint(5, 12))
    ]
    return Widget("testimonial", site.choice(("", "What our customers say")), now.choice(pool))


def tip(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Something to know, another one each day."""
    pool = [said(site) for _ in range(20)]
    return Widget("tip", site.choice(("Tip of the day", "Did you know?")), (pool[int(at.time // DAY) % 20],))


def ranking(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """What is read most at this hour."""
    pool = list(dict.fromkeys(headline(site) for _ in range(20)))
    hour = random.Random(f"{pool[0]}{int(at.time // 3600)}")
    return Widget("popular", site.choice(("Most read", "Trending now")), links=tuple(hour.sample(pool, 5)))


def weather(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """The weather somewhere."""
    sky = now.choice(("sunny", "cloudy", "light rain", "fog"))
    return Widget("weather", "", (f"{site.choice(TOWNS)}: {now.randint(-3, 31)} °C, {sky}",))


def quotes(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Prices of shares."""
    names = site.sample(MAKERS, 3)
    return Widget("ticker", "Markets", tuple(f"{one} {now.randint(900, 9000) / 100:.2f}" for one in names))


def basket(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Who bought something."""
    return Widget(
        "toast", "", (f"{now.choice(FIRST)} from {now.choice(TOWNS)} just bought a {now.choice(GOODS)}",)
    )


EVERYDAY_NOISES: Mapping[str, Draw] = {
    one.__name__: one
    for one in (
        banner, two_banners, related, similar, hits, looking, clock, took, token, consent, tested, tags,
        some_tags, voice, tip, ranking, weather, quotes, basket,
    )
}  # fmt: skip
