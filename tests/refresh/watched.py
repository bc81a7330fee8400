"""Pages that are visited again and again, for the tests of change detection."""

from dataclasses import dataclass, field

from fieldmouse.page.read import read
from fieldmouse.refresh.change import ChangeVerdict, judge_change
from fieldmouse.refresh.noise import HostNoise, PageNoise
from fieldmouse.settings import RefreshSettings
from fieldmouse.types import StoredCopy
from fieldmouse.units import DAY

START = 1_793_000_000.0  # a Monday in October 2026, 08:53 UTC


def copy_of(html: str, time: float = START) -> StoredCopy:
    body = html.encode("utf-8", "surrogatepass")
    facts = read(body)
    return StoredCopy(content=body, index=facts.index, charset=facts.charset, time=time)


@dataclass
class Watched:
    """Pages of a host as a crawl visits them: each visit is judged, then learned from."""

    settings: RefreshSettings = field(default_factory=RefreshSettings)
    host: HostNoise = field(default_factory=HostNoise)
    pages: dict[str, PageNoise] = field(default_factory=dict)
    copies: dict[str, StoredCopy] = field(default_factory=dict)

    def visit(self, html: str, time: float = START, url: str = "/") -> ChangeVerdict | None:
        """Visit a page; None at the first visit."""
        new, old = copy_of(html, time), self.copies.get(url)
        self.copies[url] = new
        if old is None:
            return None
        verdict = judge_change(old, new, self.pages.get(url, PageNoise()), self.host, self.settings, url=url)
        self.pages[url] = verdict.page
        assert verdict.evidence is not None
        self.host.learn(verdict.evidence)
        return verdict

    def visits(self, *states: str, url: str = "/") -> list[bool]:
        """Whether each state is a change, visited a day apart."""
        found = [self.visit(state, START + n * DAY, url) for n, state in enumerate(states)]
        return [one.changed for one in found if one is not None]


def judged(old: str, new: str, **settings: object) -> ChangeVerdict:
    """The verdict on two copies a day apart, with nothing learned."""
    given = RefreshSettings(**settings)  # type: ignore[arg-type]
    copies = copy_of(old), copy_of(new, START + DAY)
    return judge_change(*copies, PageNoise(), HostNoise(), given, url="/")
