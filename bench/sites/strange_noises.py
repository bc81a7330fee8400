"""What differs on pages of the part `strange` although nobody changed them.

Shelves with sums, tickers, urgency, weather, visits, cache and build marks, converters, tags with counts, and
letters that come and go. As in `noises.py`, `steady` gives a site its form and `draw` what a fetch shows.
A tab in a line stands between a name and its figure, which some templates write apart.
"""

import random
from collections.abc import Mapping
from datetime import UTC, datetime

from .markup import Box
from .noises import DAY, HOUR, Moment, Noise
from .words import Words

_CODES = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def _goods(words: Words, steady: random.Random, count: int) -> list[tuple[str, float]]:
    """Goods and their prices, which stay as they are."""
    return [
        (
            f"{steady.choice(words['things'])} {steady.choice(words['names'])}",
            steady.randint(300, 40_000) / 100,
        )
        for _ in range(count)
    ]


def _walk(seed: object, time: float, step: float) -> float:
    """A figure between -1 and 1 that goes up and down, the same at all pages of a site."""
    at, part = divmod(time, step)
    first, second = (random.Random(f"{seed}/{int(at) + n}").uniform(-1, 1) for n in (0, 1))
    return first + (second - first) * part / step


def _clock(time: float, form: str = "%H:%M") -> str:
    return datetime.fromtimestamp(time, UTC).strftime(form)


def bundle(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """Goods that are sold together, and their sum."""
    pool, slot = _goods(words, steady, 14), steady.choice(("middle", "after"))
    some, texts = draw.sample(pool, 3), words["strange"]
    total = texts["total"].format(price=words.money(sum(price for _, price in some)))
    lines = [f"{name}\t{words.money(price)}" for name, price in some]
    return Box(slot, "bundle", [*lines, total], texts["bundle"], shows_name=steady.random() < 0.5)


def deals(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:
    """Goods with the old and the new price, drawn each hour or each time."""
    pool, slot, hourly = _goods(words, steady, 20), steady.choice(("after", "side")), steady.random() < 0.5
    chance = random.Random(f"{pool}/{int(moment.time // HOUR)}") if hourly else draw
    lines = [
        f"{name}\t{words.money(price)} {words.money(price * (100 - off) / 100)} (-{off} %)"
        for name, price in chance.sample(pool, 4)
        for off in (chance.choice((10, 15, 20, 30, 50)),)
    ]
    return Box(slot, "deals", lines, words["strange"]["deals"], shows_name=steady.random() < 0.5)


def ticker(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """Shares or indices with their moves, above everything."""
    lines = []
    for name in steady.sample(words["names"], 4):
        base, move = steady.randint(900, 40_000), 3 * _walk((steady.random(), name), moment.time, 900)
        sign = "▲" if move > 0 else "▼"
        rate, percent = words.number(base * (1 + move / 100), 2), words.number(abs(move), 2)
        lines.append(f"{name[:4].upper()}\t{rate} {sign} {percent}%")
    return Box("top", "ticker", lines, shows_name=steady.random() < 0.5)


def demand(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """How few are left, or how many others want it; below the headline."""
    return Box("head", "demand", [steady.choice(words["strange"]["demand"]).format(n=draw.randint(2, 19))])


def forecast(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """The weather at the seat of the site, by the hour."""
    base, slot, place = steady.randint(-5, 25), steady.choice(("top", "side")), steady.choice(words["places"])
    time = moment.time // HOUR * HOUR
    rows = [round(base + 6 * _walk(base, time + n * 6 * HOUR, 8 * HOUR)) for n in range(3)]
    lines = [f"{_clock(time + n * 6 * HOUR)}\t{one} °C" for n, one in enumerate(rows)]
    return Box(slot, "forecast", lines, place)


def presented(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """One of some sponsors."""
    pool = steady.sample(words["names"], 5)
    line = words["strange"]["presented"].format(code=draw.choice(pool))
    return Box(steady.choice(("head", "side")), "sponsor", [line])


def build_mark(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """The version of the program and its hash; it is deployed every few days."""
    every, major = steady.choice((1.3, 2.1, 3.7)) * DAY, steady.randint(1, 6)
    deployed = int(moment.time / every)
    mark = random.Random(f"{major}/{every}/{deployed}").getrandbits(28)
    form = steady.choice(("v{a}.{b} ({c:07x})", "build {c:07x}", "{a}.{b}-{c:07x}"))
    return Box("foot", "build", [form.format(a=major, b=deployed % 1000, c=mark)])


def last_visit(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:
    """When the visitor was here before, as cookies say."""
    before = moment.time - draw.uniform(0.2, 40) * HOUR
    text = words["strange"]["last_visit"].format(date=words.date(before), time=_clock(before))
    return Box(steady.choice(("top", "foot")), "user", [text])


def consent_forms(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """A banner in one of three forms; the number of partners differs by its supplier."""
    text = draw.choice(words["strange"]["consent"]).format(n=draw.randint(120, 1400))
    return Box(
        steady.choice(("top", "foot")),
        "cc-window",
        [text, *words["foot"][:1]],
        shows_name=steady.random() < 0.6,
    )


def recent(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box | None:
    """What the visitor saw before: a list that grows and moves on, and is empty for new visitors."""
    pool = list(dict.fromkeys(name for name, _ in _goods(words, steady, 40)))
    slot, forgets = steady.choice(("after", "side")), steady.random() < 0.5
    seen = draw.randint(0, 4) if forgets else 1 + moment.visit
    lines = [
        pool[(moment.page * 3 + moment.visit + moment.control + n) % len(pool)] for n in range(min(seen, 4))
    ]
    return Box(slot, "recent", lines, words["strange"]["recent"], linked=True) if lines else None


def countdown(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """How long an offer still holds; it begins again when it is over."""
    left = int((1 - moment.time / DAY / steady.choice((1, 3, 7)) % 1) * 4320)
    text = words["strange"]["countdown"].format(n=left // 60, m=left % 60)
    return Box(steady.choice(("top", "head", "side")), "countdown", [text])


def visitor_map(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """Countries and how many came from each; the counts rise."""
    some = steady.sample(("DE", "US", "FR", "JP", "BR", "IN", "PL", "EG", "CA", "NG"), 5)
    counts = [
        (name, int(moment.time % (90 * DAY) / DAY * steady.randint(20, 900)) + moment.visit) for name in some
    ]
    ranked = sorted(counts, key=lambda one: -one[1])
    lines = [f"{name}\t{words.number(count)}" for name, count in ranked]
    return Box(steady.choice(("side", "foot")), "map", lines, words["strange"]["map"])


def captcha(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """Characters that keep robots from writing."""
    code = "".join(draw.choices(_CODES, k=steady.randint(5, 6)))
    return Box(steady.choice(("after", "foot")), "captcha", [words["strange"]["captcha"].format(code=code)])


def comments(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """What was said elsewhere on the site, by users with made-up names."""
    pool, slot = [words.drawn("headlines", steady) for _ in range(12)], steady.choice(("side", "after"))
    texts = words["strange"]
    lines = [
        texts["comment"].format(user=f"{name.lower()}{draw.randint(7, 9999)}", title=draw.choice(pool))
        for name in draw.sample(words["names"], 3)
    ]
    return Box(slot, "comments", lines, texts["comments"], shows_name=steady.random() < 0.5)


def edge(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """Which edge of a network answered, and from which cache."""
    place = draw.choice(("ams3", "fra2", "lhr5", "cdg1", "nrt4", "iad7"))
    form = steady.choice(("{hit} {place} {ray:016x}", "Ray {ray:012x}-{place}", "{place}-{ray:06x}: {hit}"))
    hit = draw.choice(("HIT", "MISS", "STALE", "HIT, HIT"))
    return Box("foot", "edge", [form.format(hit=hit, place=place, ray=draw.getrandbits(24))])


def cached(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:
    """When the copy in the cache was made, to the second."""
    age = draw.uniform(0, 600 if steady.random() < 0.5 else 20_000)
    form = steady.choice(("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M"))
    return Box("foot", "cache", [words["strange"]["cached"].format(time=_clock(moment.time - age, form))])


def advert(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box | None:  # noqa: ARG001
    """An advertisement amid the text: its label differs too, and at times nobody bought the place."""
    pool, slot = _goods(words, steady, 15), steady.choice(("middle", "after", "top"))
    texts, (name, price) = words["strange"], draw.choice(pool)
    line = f"{name}\t{texts['from'].format(price=words.money(price))}"
    if draw.random() < 0.2:
        return None
    return Box(slot, "advert", [line], draw.choice(texts["sponsored"]), shows_name=steady.random() < 0.4)


def wandering(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """A house advertisement that stands in another place each time."""
    pool = [words.drawn("ads", steady) for _ in range(4)]
    return Box(draw.choice(("top", "middle", "after", "side")), "house-ad", [draw.choice(pool)])


def signup(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box | None:
    """A letter to subscribe to: it comes and goes, and counts its readers."""
    slot, text = steady.choice(("middle", "after", "foot")), steady.choice(words["strange"]["signup"])
    readers = words.number(2000 + int(moment.time % (300 * DAY) / HOUR) * 3)
    return Box(slot, "letter", [text.format(n=readers)]) if draw.random() < 0.55 else None


def greeting(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """A greeting by the hour of the day where the server is."""
    hour = int(moment.time // HOUR + steady.choice((0, 1, 8))) % 24
    return Box("top", "greeting", [words["strange"]["greetings"][hour // 6]])


def converter(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """How much a hundred are in other currencies at the moment."""
    lines = []
    for name in steady.sample(("USD", "GBP", "CHF", "JPY", "PLN", "SEK"), 3):
        rate = steady.uniform(80, 900) * (1 + 0.01 * _walk((steady.random(), name), moment.time, HOUR))
        lines.append(f"100 EUR\t{words.number(rate, 2)} {name}")
    return Box(steady.choice(("side", "after")), "converter", lines, words["strange"]["converter"])


def trending(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """Words that are looked for, with their counts, the most wanted first."""
    pool = steady.sample(words["things"], 8)
    counts = [(name, steady.randint(20, 400) + draw.randint(0, 60)) for name in pool]
    ranked = sorted(counts, key=lambda one: -one[1])[:6]
    lines = [f"#{name} ({count})" for name, count in ranked]
    slot = steady.choice(("side", "after"))
    return Box(slot, "trending", lines, words["strange"]["trending"], linked=steady.random() < 0.7)


def shop_rating(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """What customers think of the whole shop."""
    count = steady.randint(300, 9000) + int(moment.time % (300 * DAY) / DAY * steady.randint(2, 30))
    stars = words.number(4.5 + 0.2 * _walk(count // 400, moment.time, 3 * DAY), 2)
    text = words["strange"]["rating"].format(n=stars, m=words.number(count))
    return Box(steady.choice(("top", "side", "foot")), "rating", [text])


def opened(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """Whether the office is open now."""
    begin, end = steady.randint(7, 10), steady.randint(16, 20)
    texts, now = words["strange"], int(moment.time // HOUR) % 24
    is_open = begin <= now < end
    text = texts["open" if is_open else "closed"].format(time=f"{end if is_open else begin:02}:00")
    return Box(steady.choice(("top", "side")), "opening", [text])


def queue(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """How long callers wait."""
    text = words["strange"]["queue"].format(n=draw.randint(1, 25))
    return Box(steady.choice(("top", "side", "foot")), "queue", [text])


def headings(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """The same links below another heading, to see which is clicked more."""
    links = list(dict.fromkeys(words.drawn("headlines", steady) for _ in range(4)))
    title = draw.choice(words["strange"]["headings"])
    return Box(steady.choice(("after", "side")), "guides", links, title, linked=True)


def totals(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """How many pages the site has."""
    count = steady.randint(9_000, 900_000) + int(moment.time % (300 * DAY) / HOUR) * steady.randint(1, 9)
    text = words["strange"]["totals"].format(n=words.number(count))
    return Box(steady.choice(("top", "foot")), "totals", [text])


def departure(words: Words, steady: random.Random, draw: random.Random, moment: Moment) -> Box:  # noqa: ARG001
    """How soon the next bus leaves, which comes every so many minutes."""
    wait = int(moment.time / 60) % steady.choice((10, 15, 20, 30)) + 1
    return Box(steady.choice(("side", "foot")), "departure", [words["strange"]["next"].format(n=wait)])


STRANGE_BOXES: Mapping[str, Noise] = {
    noise.__name__: noise
    for noise in (
        bundle, deals, ticker, demand, forecast, presented, build_mark, last_visit, consent_forms, recent,
        countdown, visitor_map, captcha, comments, edge, cached, advert, wandering, signup, greeting,
        converter, trending, shop_rating, opened, queue, headings, totals, departure,
    )
}  # fmt: skip

# Of these, the first is no box: class names and scripts change with each build of the program.
STRANGE_NOISES = ("deploys", "nonce", "session", *STRANGE_BOXES)
