"""When a host's templates no longer fit its pages, so that they must be distilled anew.

Each page that was stripped says how much of its template it still has. A site that was redone shows in the
middle page of the recent ones: it has much less of the template than the pages it was made from had. So does
a part of the site that did not exist then: pages of no known group.
"""

from dataclasses import dataclass, replace

from .strip import Stripped
from .template import Templates

RECENT = 16  # pages looked back at
ENOUGH = 8  # pages from which a judgement is made
LOSS = 0.75  # of the typical share; a middle page below this has another template
STRANGERS = 0.5  # share of recent pages of no known group


@dataclass(frozen=True, slots=True)
class Drift:
    """How well the last pages of a host fitted, as shares of what was typical; -1 for a page of no group."""

    fits: tuple[float, ...] = ()

    def seen(self, page: Stripped, templates: Templates) -> "Drift":
        """With one more page."""
        typical = templates.all[page.template].typical if page.template >= 0 else 0.0
        fit = page.matched / typical if typical else -1.0
        return replace(self, fits=(*self.fits, fit)[-RECENT:])

    @property
    def due(self) -> bool:
        """Whether the templates should be distilled anew."""
        if len(self.fits) < ENOUGH:
            return False
        strangers = sum(fit < 0 for fit in self.fits)
        known = sorted(fit for fit in self.fits if fit >= 0)
        return strangers > STRANGERS * len(self.fits) or (
            len(known) >= ENOUGH and known[len(known) // 2] < LOSS
        )
