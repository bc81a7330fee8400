"""Classes of pages during a crawl: by the archive's trained classifier, or by keywords until there is one."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from fieldmouse.errors import ConfigError, UsageError
from fieldmouse.labels.classes import ClassList, load_classes
from fieldmouse.labels.evidence import EvidenceReader
from fieldmouse.labels.labeller import Labeller
from fieldmouse.labels.page_classifier import PageClassifier
from fieldmouse.labels.split import NameSplitter
from fieldmouse.learn import learner as learners
from fieldmouse.page.read import Facts
from fieldmouse.settings import Settings
from fieldmouse.types import PageClasses, Ticket, Verdict

MODEL_FILE = "classes.json"
LIST_FILE = "classes.toml"  # the list that the model was trained for
LEAST = 0.5  # probability of a class that a page is of
HOSTS = 1000  # whose names are remembered

# Links of pages of other classes are followed while a tenth of the last 100 or so pages they led to is of
# the class. The first share is such that 100 pages without success are needed to give up.
LEAST_SHARE, WINDOW = 0.1, 100
FIRST_SHARE = LEAST_SHARE / (1 - 1 / WINDOW) ** WINDOW


class Tunnel:
    """Whether links of pages of other classes still lead to the wanted one.

    A page is at level n if the last n pages of its path were of other classes. Links to a level are followed
    while enough of the pages fetched lately at that level or beyond it are of the class.
    """

    def __init__(self, levels: int) -> None:
        self.levels = levels
        self._shares = [FIRST_SHARE] * (levels + 1)

    def learn(self, level: int, *, found: bool) -> None:
        """A page of a level was fetched, and is of the class or not."""
        for one in range(1, min(level, self.levels) + 1):
            self._shares[one] += (found - self._shares[one]) / WINDOW

    def open(self, level: int) -> bool:
        """Whether links to this level are followed."""
        return level <= self.levels and self._shares[level] >= LEAST_SHARE


class PageSorter:
    """Sorts pages into classes, and refuses those of excluded classes or outside the wanted one."""

    def __init__(
        self,
        classes: ClassList,
        learner: PageClassifier | None = None,
        *,
        only: str = "",
        exclude: tuple[str, ...] = (),
        prefer: str = "",
        tunnel: int = 0,
    ) -> None:
        for name in (only, prefer, *exclude):
            if name and name not in classes.names:
                known = ", ".join(classes.names)
                raise UsageError(f"the list {classes.name!r} has no class {name!r}; there are {known}")
        self.classes, self.learner, self.only, self.exclude = classes, learner, only, exclude
        self.prefer, self.tunnel = prefer, Tunnel(tunnel)
        # A page that the scope refuses is lost, one too many can be filtered afterwards. What is excluded
        # has to be sure.
        self._keywords = Labeller(classes, open_world=not (only or prefer))
        self._reader = EvidenceReader(classes, NameSplitter())
        self._named = lru_cache(HOSTS)(self._reader.name)

    def sort(self, host: str, content: bytes, facts: Facts) -> PageClasses:
        """The classes of a page, the most probable first."""
        page = self._reader.text(self._named(host), content, facts)
        if self.learner is not None:
            chances = dict(zip(self.learner.classes, self.learner.probabilities(page), strict=True))
        else:
            scored = self._keywords.score([page])[0]
            chance = float(self._keywords.chances(np.array([scored.lead]))[0])
            chances = {self.classes.names[one]: chance for one in scored.order[: scored.together]}
            if not scored.evidence[0]:
                chances = {}
        found = [(name, round(p, 4)) for name, p in chances.items() if p >= LEAST]
        return PageClasses(self.classes.name, tuple(sorted(found, key=lambda one: -one[1])))

    def refuses(self, found: PageClasses) -> str:
        """Why a page is not stored; empty if it is."""
        names = [name for name, _ in found.found]
        if bad := next((name for name in names if name in self.exclude), ""):
            return f"class: {bad} is excluded"
        if self.only and self.only not in names:
            return f"class: not {self.only}" + (f" but {names[0]}" if names else "")
        return ""

    def relevance(self, found: PageClasses | None) -> Verdict | None:
        """How far a page is what a focused crawl looks for; None if its classes do not decide that."""
        if not self.prefer or found is None:
            return None
        chances = dict(found.found)
        names = ", ".join(f"{name} {chance:.0%}" for name, chance in found.found)
        return Verdict(chances.get(self.prefer, 0.0), (f"class: {names or 'none'}",))

    def leads_on(self, ticket: Ticket, found: PageClasses) -> bool:
        """Whether links of a refused page may be followed, to find pages of the class behind it."""
        return ticket.level < self.tunnel.levels and not any(name in self.exclude for name, _ in found.found)


def load_classifier(folder: Path) -> tuple[PageClassifier, ClassList] | None:
    """The archive's own classifier with its list of classes; None if it was not trained."""
    file, listed = folder / "models" / MODEL_FILE, folder / "models" / LIST_FILE
    if not (file.is_file() and listed.is_file()):
        return None
    try:
        found = learners.load(file.read_bytes())
    except UsageError as error:
        raise ConfigError(f"{file}: {error}; remove it, or run `train classes`") from None
    if not isinstance(found, PageClassifier):
        raise ConfigError(f"{file} is not a classifier of pages; remove it, or run `train classes`")
    return found, load_classes(str(listed))


def page_sorter(folder: Path, settings: Settings) -> PageSorter | None:
    """What sorts the pages of a crawl; None if nothing does."""
    wanted = settings.labels
    trained = load_classifier(folder) if wanted.classify_new else None
    listed = load_classes(wanted.classes) if wanted.classes else None
    found = listed
    if trained is not None and (listed is None or listed.names == trained[1].names):
        found = trained[1]
    elif not (wanted.only or wanted.prefer or wanted.exclude):
        return None
    if found is None:
        raise UsageError(
            "labels.only, labels.prefer and labels.exclude need classes: set labels.classes to a file or to "
            "business or adult, or run `label` and `train classes` first"
        )
    return PageSorter(
        found,
        trained[0] if trained is not None and found is trained[1] else None,
        only=wanted.only,
        exclude=wanted.exclude,
        prefer=wanted.prefer,
        tunnel=wanted.tunnel,
    )
