"""The veto of LEADS D1.3: pages that the schedule proposes are skipped if they are unlikely to have changed.

Nothing starves: a small share of the skips is fetched all the same, by chance; a page is skipped only so many
times in a row; and its copy does not get older than a multiple of its age at the first skip, or than any copy
may get. A page that was skipped is proposed again after half of that age. What is unlikely depends on the
archive: where one fetch in twenty finds a change, few pages are likelier changed than not.
"""

from dataclasses import replace
from typing import NamedTuple

from fieldmouse.settings import BehaviourSettings
from fieldmouse.store.visit_contract import BehaviourDecision
from fieldmouse.units import DAY

from .change_model import ChangeModel

# What is decided about a page that is proposed.
PASSED, SKIPPED, EXPLORED, FORCED = "passed", "skipped", "explored", "forced"


class Veto(NamedTuple):
    """What is decided, and how probable a fetch was."""

    action: str
    chance: float

    @property
    def fetched(self) -> bool:
        """Whether the page is fetched."""
        return self.action != SKIPPED


def veto_rule(settings: BehaviourSettings, model: ChangeModel) -> BehaviourSettings:
    """The settings with the threshold of a model, unless they have one."""
    return replace(settings, veto_below=settings.veto_below or model.veto_threshold(settings.veto_missed))


class SkipHistory(NamedTuple):
    """The skips of a page since its last fetch."""

    skips: int = 0
    gap: float = 0.0  # age of the copy at the first of them, in days
    until: float = 0.0  # when it may be proposed again, in days

    def after(self, age: float, now: float) -> "SkipHistory":
        """One skip more."""
        gap = self.gap if self.skips else age
        return SkipHistory(self.skips + 1, gap, now + gap / 2)

    @classmethod
    def of(cls, last: BehaviourDecision) -> "SkipHistory":
        """From the last decision on record, in seconds."""
        return cls(last.skips, last.gap / DAY, last.until / DAY)


def decide(
    probability: float,
    age: float,
    past: SkipHistory,
    rule: BehaviourSettings,
    *,
    required: bool,
    draw: float,
) -> Veto:
    """Decide about a page that is proposed; `required` if its copy gets too old, `draw` uniform in [0, 1)."""
    if probability >= rule.veto_below:
        return Veto(PASSED, 1.0)
    if required or past.skips >= rule.skips or (past.skips and age > rule.most_gaps * past.gap):
        return Veto(FORCED, 1.0)
    if draw < rule.exploration:
        return Veto(EXPLORED, rule.exploration)
    return Veto(SKIPPED, 1.0 - rule.exploration)
