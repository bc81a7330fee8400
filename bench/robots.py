"""The robots.txt matcher next to Protego and the standard library: `python -m bench.robots`.

Prints one JSON object: of the RFC 9309 cases in tests/web/test_robots.py, how many each gets right, the time
to parse the samples in tests/data/robots, and the time of one check with the largest of them (wildcards.txt)
and with 2,000 rules. Protego takes part when it is installed.
"""

import importlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.robotparser import RobotFileParser

from fieldmouse.web.robots import Robots

Allows = Callable[[str], bool]
Parse = Callable[[str], Allows]
SAMPLES = Path(__file__).parent.parent / "tests" / "data" / "robots"
SITE = "http://example.test"
AGENT = "foobot"


def ours(text: str) -> Allows:
    """Fieldmouse."""
    return Robots.parse(text.encode(), AGENT).allows


def standard(text: str) -> Allows:
    """urllib.robotparser."""
    parser = RobotFileParser()
    parser.parse(text.splitlines())
    return lambda url: parser.can_fetch(AGENT, url)


def protego(text: str) -> Allows:
    """Protego, which Scrapy uses."""
    parser: Any = importlib.import_module("protego").Protego.parse(text)
    return lambda url: bool(parser.can_fetch(url, AGENT))


def best(work: Callable[[], object], times: int, rounds: int = 5) -> float:
    """Microseconds of the fastest round, for one of `times` calls."""
    found = []
    for _ in range(rounds):
        began = time.process_time()
        for _ in range(times):
            work()
        found.append((time.process_time() - began) / times * 1e6)
    return round(min(found), 2)


def wrong_cases(parse: Parse, cases: list[tuple[str, str, str, bool]]) -> list[str]:
    """The names of the cases that a matcher gets wrong."""
    wrong = []
    for name, text, path, allowed in cases:
        try:
            good = parse(text)(SITE + path) is allowed
        except Exception:
            good = False
        if not good:
            wrong.append(name)
    return wrong


def measure() -> dict[str, object]:
    """All figures, by matcher."""
    from tests.web.test_robots import CASES

    texts = [path.read_bytes().decode("utf-8", "replace") for path in sorted(SAMPLES.glob("*.txt"))]
    wild = (SAMPLES / "wildcards.txt").read_text().replace("User-agent: *", f"User-agent: {AGENT}")
    long = f"User-agent: {AGENT}\n" + "".join(f"Disallow: /folder-{n}/private\n" for n in range(2000))
    urls = [f"{SITE}/folder-{n}/{'gp/product' if n % 2 else 'private/x'}?id={n}" for n in range(0, 2000, 50)]
    found: dict[str, object] = {}
    for name, parse in {"fieldmouse": ours, "protego": protego, "urllib.robotparser": standard}.items():
        try:
            wrong = wrong_cases(parse, CASES)
        except ModuleNotFoundError:
            continue
        few, many = parse(wild), parse(long)
        found[name] = {
            "cases": len(CASES),
            "right": len(CASES) - len(wrong),
            "parse the samples, µs": best(lambda parse=parse: [parse(text) for text in texts], 3),  # type: ignore[misc]
            "check, wildcards.txt, µs": best(lambda few=few: [few(url) for url in urls], 20) / len(urls),  # type: ignore[misc]
            "check, 2,000 rules, µs": best(lambda many=many: [many(url) for url in urls], 2) / len(urls),  # type: ignore[misc]
            "wrong": wrong,
        }
    return found


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
