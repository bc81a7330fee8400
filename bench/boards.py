"""Hosts of notice boards, which change at random with a known rate."""

import random
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from zlib import crc32

from fieldmouse.demo.hosts import Town, build
from fieldmouse.demo.pages import Addresses, DemoHost, DemoPage, DemoTexts, Design, listing

# Days between changes of the busiest and of the calmest board, and for how many days changes are known.
BUSIEST, CALMEST, KNOWN_DAYS = 1.0, 100.0, 1000.0
# Notices on a board: a new one is added on top, and the oldest is removed.
SHOWN = 3
# One of this many boards never changes.
NEVER_CHANGES = 5
CACHED_PAGES = 1024


def town_with_boards(port: int, seed: int, boards: int) -> Town:
    """The demo's town with a host of notice boards."""
    town = build(port, seed=seed, slow=0.0)
    host = notice_boards(town.addresses, DemoTexts(seed), board_rates(boards))
    seeds = (*town.seeds, town.addresses.at(host.name))
    return replace(town, hosts=(*town.hosts, host), seeds=seeds)


def board_rates(count: int) -> list[float]:
    """Changes a day of each board: evenly spaced by logarithm, and some that never change."""
    spread = CALMEST / BUSIEST
    return [
        0.0 if n % NEVER_CHANGES == NEVER_CHANGES - 1 else 1 / (BUSIEST * spread ** (n / max(count - 1, 1)))
        for n in range(count)
    ]


def notice_boards(
    addresses: Addresses, texts: DemoTexts, rates: Sequence[float], name: str = "boards"
) -> DemoHost:
    """A host of boards that change at these rates a day, the calmer ones in a folder of their own."""
    design = Design("Notice boards", addresses.menu("Boards"))
    paths = [f"/{'busy' if rate > 0.1 else 'calm'}/{n}" for n, rate in enumerate(rates)]
    seed = f"{texts.seed}{name.removeprefix('boards')}"
    stories = texts.sections["news"]["stories"]
    times = {
        path: [0.0, *_change_days(f"{seed}{path}", rate)] for path, rate in zip(paths, rates, strict=True)
    }

    def notice(key: str) -> list[str]:
        """One notice; its key in the title makes it unique."""
        story = stories[crc32(key.encode()) % len(stories)]
        title, *said = texts.fill(f"board {key}", story["title"], *story["text"])
        return [f"{key[1:]}: {title}", *said]

    @lru_cache(CACHED_PAGES)
    def board(target: str, place: int) -> DemoPage:
        notices = [notice(f"{seed[1:]}{target}/{place - turn}") for turn in range(SHOWN)]
        page = design.simple(f"Board {target}", [text for one in notices for text in one])
        return DemoPage(body=page.body, edition=times[target][max(place, 0)])

    def generate(target: str, day: float) -> DemoPage | None:
        return board(target, bisect_right(times[target], day) - 1) if target in times else None

    home = design.simple("Boards", ["What is pinned up, and where."], listing((path, path) for path in paths))
    pages = {path: page for path in paths if (page := generate(path, 0.0))}
    return DemoHost(name=name, pages={"/": home, **pages}, generate=generate)


def _change_days(key: str, rate: float) -> Iterable[float]:
    """Days on which a board changes: a Poisson process."""
    chance = random.Random(key)
    day = 0.0
    while rate and (day := day + chance.expovariate(rate)) < KNOWN_DAYS:
        yield day
