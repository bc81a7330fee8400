"""How the other links of a page turned out: evidence for those that are pending.

A list of people may be off the topic itself while each of its links is on it. So each page has a record of
the links on it that were fetched, and a pending link is judged by the best record of the pages that it
stands on.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from xxhash import xxh3_64_intdigest

from .terms_python import SiblingEvidence, sibling_odds

PRIOR = 2.0  # links of the usual relevance, added to those of each page
MOST_PARENTS = 8  # of one link
MOST_LINKS = 100  # of one page that are scored again


class SiblingRecords:
    """The relevance of the fetched links of each page, by the number of the page."""

    def __init__(self, limit: int) -> None:
        self.limit = limit  # pages; beyond, the oldest are forgotten
        self.parents: dict[str, tuple[int, ...]] = {}  # of pending links
        self.links: dict[int, list[str]] = {}  # pending links of a page
        self.records: dict[int, tuple[float, int]] = {}  # total relevance and number of fetched links
        self.pages, self.relevance = 0, 0.0

    def stands_on(self, parent: str, urls: Iterable[str]) -> None:
        """Some links stand on a page."""
        page, parents = xxh3_64_intdigest(parent.encode("utf-8", "surrogatepass")), self.parents
        links = self.links.setdefault(page, [])
        for url in urls:
            known = parents.get(url, ())
            if page not in known and len(known) < MOST_PARENTS:
                parents[url] = (*known, page)
                if len(links) < MOST_LINKS:
                    links.append(url)
        if len(self.links) > self.limit:
            for oldest in list(self.links)[: self.limit // 10]:
                del self.links[oldest]
                self.records.pop(oldest, None)

    def turned_out(self, url: str, relevance: float) -> Iterator[str]:
        """A link was fetched; gives the pending links that share a parent with it, if its record rises.

        A link whose score falls is scored again when its turn comes.
        """
        self.pages += 1
        self.relevance += relevance
        usual = (self.relevance + 0.5) / (self.pages + 4)
        found: dict[str, None] = {}
        for page in self.parents.pop(url, ()):
            total, n = self.records.get(page, (0.0, 0))
            self.records[page] = total + relevance, n + 1
            if relevance > (total + PRIOR * usual) / (n + PRIOR):
                found.update(dict.fromkeys(self.links.get(page, ())))
        found.pop(url, None)
        return (one for one in list(found)[:MOST_LINKS] if one in self.parents)

    @property
    def evidence(self) -> SiblingEvidence:
        """What the score of a pending link needs."""
        return self.parents, self.records, (self.relevance + 0.5) / (self.pages + 4), PRIOR

    def odds(self, url: str) -> float:
        """The log-odds of the best parent's links beyond the usual; 0 if none of them was fetched."""
        return sibling_odds(self.evidence, url)

    def forget(self, urls: Iterable[str]) -> None:
        """Some links are pending no longer."""
        for url in urls:
            self.parents.pop(url, None)

    def state(self) -> dict[str, Any]:
        """Everything but the links of each page, as JSON values."""
        records = {str(page): (round(total, 3), n) for page, (total, n) in self.records.items()}
        return {"pages": self.pages, "relevance": self.relevance, "records": records, "parents": self.parents}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` gave."""
        self.pages, self.relevance = int(state["pages"]), float(state["relevance"])
        self.records = {int(page): (float(total), int(n)) for page, (total, n) in state["records"].items()}
        self.parents = {url: tuple(pages) for url, pages in state["parents"].items()}
        for url, pages in self.parents.items():
            for page in pages:
                if len(links := self.links.setdefault(page, [])) < MOST_LINKS:
                    links.append(url)
