"""Seeds for a topic out of search results: an address in two result lists is relevant.

The generator of Safran et al. 2012: several providers are searched for the topic, and for the negated topic
to find irrelevant seeds. A provider has a method `lists`. This room has no network, so `SearxNG` receives a
function that fetches.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol
from urllib.parse import urlencode

from fieldmouse.errors import FieldmouseError, UsageError
from fieldmouse.urls import Canon

from .topic import seed_idf
from .words import Stems, counts, terms

BEST = 10  # addresses taken from each result list
LISTS = 2  # result lists an address must stand in


class NoAnswer(FieldmouseError):
    """A provider did not answer, or its answer cannot be read."""


class Provider(Protocol):
    """A source of result lists; a query that begins with `-` finds pages without its words."""

    def lists(self, query: str) -> list[list[str]]:
        """The URLs that each source found, best first."""


class Seeds(NamedTuple):
    """Relevant and irrelevant seeds."""

    relevant: tuple[str, ...]
    irrelevant: tuple[str, ...]
    problems: tuple[str, ...]  # providers that did not answer


def generate(name: str, providers: Sequence[Provider]) -> Seeds:
    """Search every provider for the topic and for its negation."""
    if not terms(name, Stems()):
        raise UsageError(f"the topic {name!r} has no words to search for")
    canon, problems = Canon(), []
    agreed = []  # URLs in enough result lists, the most frequent first
    for query in (name, f"-{name}"):
        votes: Counter[str] = Counter()
        for one in providers:
            try:
                lists = one.lists(query)
            except (NoAnswer, OSError) as error:
                problems.append(str(error) or type(error).__name__)
                continue
            for found in lists:
                votes.update({url: 1 for text in found[:BEST] if (url := canon(text))})
        agreed.append([url for url, n in votes.most_common() if n >= LISTS])
    relevant, irrelevant = agreed
    if not relevant:
        why = f" ({'; '.join(problems)})" if problems else ""
        raise UsageError(
            f"no address stands in {LISTS} result lists for {name!r}{why}; give pages on it with --example"
        )
    off = tuple(url for url in irrelevant if url not in relevant)
    return Seeds(tuple(relevant), off, tuple(dict.fromkeys(problems)))


class SearxNG:
    """A SearXNG server; each of its engines counts as a list."""

    def __init__(self, address: str, fetch: Callable[[str], bytes]) -> None:
        self.address = address.rstrip("/")
        self.fetch = fetch

    def lists(self, query: str) -> list[list[str]]:
        url = f"{self.address}/search?{urlencode({'q': query, 'format': 'json'})}"
        try:
            results = json.loads(self.fetch(url))["results"]
            rows = [(one["url"], one.get("engines") or [one["engine"]]) for one in results]
        except (ValueError, KeyError, TypeError):
            raise NoAnswer(
                f"{self.address} did not answer with SearXNG's JSON; its settings must allow the format json"
            ) from None
        engines = dict.fromkeys(engine for _, named in rows for engine in named)
        return [[url for url, named in rows if engine in named] for engine in engines]


class ResultFile:
    """Result lists in a CSV file with the columns query, source and url, best first."""

    def __init__(self, text: str) -> None:
        self.rows = list(csv.DictReader(io.StringIO(text)))
        if self.rows and not {"query", "source", "url"} <= self.rows[0].keys():
            raise UsageError("a file of result lists has the columns query, source and url")

    def lists(self, query: str) -> list[list[str]]:
        mine = [one for one in self.rows if one["query"].strip().lower() == query.strip().lower()]
        sources = dict.fromkeys(one["source"] for one in mine)
        return [[one["url"] for one in mine if one["source"] == source] for source in sources]


class StoredPage(NamedTuple):
    """A page of an archive."""

    url: str
    title: str
    text: str


class ArchiveSearch:
    """Search among stored pages: one list by their texts, one by their titles."""

    def __init__(self, pages: Callable[[], Iterable[StoredPage]]) -> None:
        self.pages = pages

    def lists(self, query: str) -> list[list[str]]:
        stems = Stems()
        wanted = terms(query.lstrip("-"), stems)
        found = [(one, counts(one.text, stems), counts(one.title, stems)) for one in self.pages()]
        if query.startswith("-"):
            without = [one.url for one, text, _ in found if text and not any(t in text for t in wanted)]
            return [without, without]
        idf = seed_idf([text for _, text, _ in found])
        ranked = []
        for counted in ([text for _, text, _ in found], [title for _, _, title in found]):
            scored = []
            for (one, _, _), seen in zip(found, counted, strict=True):
                # The most of the wanted terms for its length; rare terms count more.
                score = sum(seen[term] * (idf(term) + 0.01) for term in wanted) / (sum(seen.values()) + 20)
                if score > 0:
                    scored.append((-score, one.url))
            ranked.append([url for _, url in sorted(scored)])
        return ranked
