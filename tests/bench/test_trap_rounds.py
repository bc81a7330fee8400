"""The hosts of the newest round of traps: real pages can be reached, honest sites end, and mazes do not."""

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import urljoin

import pytest

from bench.sites.trap_kinds import MadeHost
from bench.sites.trap_kinds_fourteenth import HONEST, TRAPS

HOST = "http://made.test"


def walked(host: MadeHost, stop: int) -> tuple[set[str], set[str], int]:
    """What following all links in their order finds: real pages, missing pages, and addresses left over."""
    queue, known = ["/"], {"/"}
    real, missing = set(), set()
    for at in range(stop):
        if at == len(queue):
            break
        answer = host.answer(queue[at])
        if answer is None:
            missing.add(queue[at])
            continue
        if answer.real:
            real.add(answer.real)
        for href in re.findall(r'href="([^"]*)"', answer.html):
            target = urljoin(HOST + queue[at], unescape(href)).removeprefix(HOST)
            if target not in known:
                known.add(target)
                queue.append(target)
    return real, missing, len(queue) - stop


@pytest.mark.parametrize("kind", HONEST)
def test_an_honest_site_shows_all_its_pages_and_ends(kind: Callable[[], MadeHost]) -> None:
    host = kind()
    real, missing, _ = walked(host, 2 * len(host.real))
    assert (real, missing) == (host.real, set())
    assert len(real) > 800


@pytest.mark.parametrize("kind", TRAPS)
def test_a_maze_has_real_pages_and_no_end(kind: Callable[[], MadeHost]) -> None:
    host = kind()
    real, missing, left = walked(host, 2000)
    assert (real, missing) == (host.real, set())
    assert left > 200
