"""A topic: its keywords with their weights, and the seeds that are on it and off it.

There are three recipes for the table of keywords of Safran et al. 2012. `published` is the recipe as stated,
tf times ln(N/n) over the seed pages; a word in every seed gets no weight. `counts` is what the printed table
holds. `corrected`, the default, takes tf from the relevant pages and idf from general English.

The example pages of a topic are kept in a file next to it, with a line of JSON for each page; a crawl learns
from them before its first request.
"""

import json
import math
import os
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from fieldmouse.errors import UsageError
from fieldmouse.setting_values import to_toml

from .wordnet import Background
from .words import Stems, surface, terms, words
from .words import counts as counted

KEYWORDS = 14
RECIPES = ("corrected", "published", "counts")

# The least weight of a word of the topic's name, however rare it is in the example pages.
TYPED = 0.5

LONGEST_EXAMPLE = 50_000  # characters of the text of an example

Counts = Mapping[str, int]
Weights = dict[str, float]


class Keyword(NamedTuple):
    """A word of the table; texts are matched by its stem."""

    word: str
    stem: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What a crawl looks for."""

    name: str
    keywords: tuple[Keyword, ...]
    relevant: tuple[str, ...] = ()  # addresses of pages on the topic
    irrelevant: tuple[str, ...] = ()
    norm: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.keywords:
            raise UsageError(f"the topic {self.name!r} has no keywords; give words that say what it is about")
        for one in self.keywords:
            if not one.stem:
                raise UsageError(f"the keyword {one.word!r} is a stop word and cannot be a keyword")
            if not (math.isfinite(one.weight) and one.weight > 0):
                raise UsageError(f"the weight of {one.word!r} must be a number above 0, not {one.weight}")
        if len({one.stem for one in self.keywords}) < len(self.keywords):
            raise UsageError(f"two keywords of {self.name!r} have the same stem; leave one of them out")
        if both := set(self.relevant) & set(self.irrelevant):
            raise UsageError(f"{min(both)} is both a relevant and an irrelevant seed")
        object.__setattr__(self, "norm", math.sqrt(sum(one.weight**2 for one in self.keywords)))


def weigh(pages: Sequence[Counts], idf: Callable[[str], float]) -> Weights:
    """Tf times idf for each term, tf being its count over all pages."""
    total: Counter[str] = Counter()
    for page in pages:
        total.update(page)
    return {term: n * idf(term) for term, n in total.items()}


def seed_idf(pages: Sequence[Counts]) -> Callable[[str], float]:
    """The paper's idf: ln(N/n) over the seed pages themselves."""
    found: Counter[str] = Counter()
    for page in pages:
        found.update(page.keys())
    return lambda term: math.log(len(pages) / found[term]) if found[term] else 0.0


def top(weights: Mapping[str, float], size: int = KEYWORDS) -> Weights:
    """The heaviest terms, divided by the heaviest; terms without weight are left out."""
    best = sorted(((w, term) for term, w in weights.items() if w > 0), key=lambda pair: (-pair[0], pair[1]))
    return {term: w / best[0][0] for w, term in best[:size]}


def keyword_weights(
    relevant: Sequence[Counts], irrelevant: Sequence[Counts], background: Background, recipe: str
) -> Weights:
    """The weight of every term by one of the three recipes."""
    pages = [*relevant, *irrelevant]
    if recipe == "published":
        return weigh(pages, seed_idf(pages))
    if recipe == "counts":
        return weigh(relevant, lambda _: 1.0)
    if recipe != "corrected":
        raise UsageError(f"there is no recipe {recipe!r}; there are {', '.join(RECIPES)}")
    if len(relevant) >= 3:  # only the terms on at least two
        found = Counter(term for page in relevant for term in page)
        relevant = [{term: n for term, n in page.items() if found[term] > 1} for page in relevant]
    # Counts on a logarithmic scale, in hundredths, so that no page can fill the table with its name.
    damped = [{term: round(100 * (1 + math.log(n))) for term, n in page.items()} for page in relevant]
    return weigh(damped, background.more(irrelevant).idf)


class Examples(NamedTuple):
    """Texts on a topic and off it."""

    relevant: Sequence[str] = ()
    irrelevant: Sequence[str] = ()


def build(
    name: str,
    examples: Examples = Examples(),  # noqa: B008  a tuple of tuples
    *,
    background: Background,
    size: int = KEYWORDS,
    recipe: str = "corrected",
    seeds: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> Topic:
    """A topic from the words of its name and, if there are any, from example pages."""
    stems = Stems()
    typed = dict.fromkeys(terms(name, stems))
    if not examples.irrelevant:  # which would tell what stands on every page of a site
        examples = Examples(without_frames(examples.relevant))
    relevant, irrelevant = ([counted(text, stems) for text in texts] for texts in examples)
    if not typed and not any(relevant):
        why = f"there is no word in the topic {name!r}"
        if not name.strip():
            why = "the topic is empty; give words that say what it is about, or example pages"
        elif words(name):
            why = f"the topic {name!r} holds only stop words, which are on every page; give other words"
        raise UsageError(why)
    weights = top(keyword_weights(relevant, irrelevant, background, recipe), size) if any(relevant) else {}
    if weights:
        kept = dict(list(weights.items())[: max(0, size - len(typed.keys() - weights.keys()))])
        weights = kept | {term: max(weights.get(term, 0.0), TYPED) for term in typed}
    else:
        weights = {term: background.idf(term) for term in typed}
    chosen = top(weights, size)
    shown = surface([name, *examples.relevant], stems)
    keywords = tuple(Keyword(shown.get(term, term), term, round(w, 6)) for term, w in chosen.items())
    return Topic(name=name, keywords=keywords, relevant=tuple(seeds[0]), irrelevant=tuple(seeds[1]))


def without_frames(texts: Sequence[str]) -> list[str]:
    """Texts without the lines that stand in most of them: menus, footers and the like; a copy stays whole."""
    often = Counter(line for text in texts for line in set(text.splitlines()))
    most = max(len(texts) // 2, 1)
    own = ("\n".join(line for line in text.splitlines() if often[line] <= most) for text in texts)
    return [less or text for less, text in zip(own, texts, strict=True)]


def to_toml_text(topic: Topic) -> str:
    """The topic as a file that a person may edit."""
    lines = [
        "# A topic of Fieldmouse. Edit the weights, or add and remove words, as you like.",
        f"name = {to_toml(topic.name)}",
        f"relevant = [\n{_rows(topic.relevant)}]",
        f"irrelevant = [\n{_rows(topic.irrelevant)}]",
        "",
        "[keywords]",
        *(f"{to_toml(one.word)} = {one.weight!r}" for one in topic.keywords),
    ]
    return "\n".join(lines) + "\n"


def _rows(urls: Sequence[str]) -> str:
    return "".join(f"  {to_toml(url)},\n" for url in urls)


def from_toml_text(text: str, where: str = "the topic") -> Topic:
    """A topic from its file."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where} is not valid TOML: {error}") from None
    if unknown := found.keys() - {"name", "relevant", "irrelevant", "keywords"}:
        raise UsageError(f"{where} has an unknown key {min(unknown)!r}")
    stems = Stems()
    keywords = []
    for word, weight in _typed(found, "keywords", dict, where).items():
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise UsageError(f"{where}: the weight of {word!r} must be a number, not {weight!r}")
        keywords.append(Keyword(word, stems[word.lower()], float(weight)))
    seeds = {key: tuple(_typed(found, key, list, where)) for key in ("relevant", "irrelevant")}
    for key, addresses in seeds.items():
        if not all(isinstance(one, str) for one in addresses):
            raise UsageError(f"{where}: {key} must be a list of addresses")
    return Topic(name=_typed(found, "name", str, where), keywords=tuple(keywords), **seeds)


def _typed(found: dict[str, Any], key: str, kind: type, where: str) -> Any:
    value = found.get(key, kind())
    if not isinstance(value, kind):
        raise UsageError(f"{where}: {key} must be a {'table' if kind is dict else kind.__name__}")
    return value


def load(file: Path) -> Topic:
    """Read a topic's file."""
    try:
        return from_toml_text(file.read_text("utf-8-sig"), str(file))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not a text in UTF-8") from None


def save(topic: Topic, file: Path) -> bool:
    """Write a topic's file and keep a different previous one; returns whether there was one."""
    text = to_toml_text(topic)
    former = file.read_text("utf-8", "replace") if file.exists() else text
    if former != text:
        replace_text(former_file(file), former)
    replace_text(file, text)
    return former != text


def former_file(file: Path) -> Path:
    """Where the previous version of a topic is kept."""
    return file.with_suffix(".toml.former")


class TopicExample(NamedTuple):
    """A page labelled as on the topic or off it."""

    url: str
    relevant: bool
    text: str  # its first line is the title


def examples_file(topic: Path) -> Path:
    """Where the examples of a topic's file are kept."""
    return topic.with_suffix(".examples.jsonl")


def save_examples(examples: Iterable[TopicExample], topic: Path) -> None:
    """Keep the examples of a topic."""
    rows = (json.dumps(one._asdict(), ensure_ascii=False) for one in examples)
    replace_text(examples_file(topic), "".join(f"{row}\n" for row in rows))


def contradiction(examples: Iterable[TopicExample]) -> tuple[str, str] | None:
    """Two examples with the same words and different labels, if there are any."""
    seen: dict[str, TopicExample] = {}
    for one in examples:
        other = seen.setdefault(" ".join(one.text.split()), one)
        if other.relevant is not one.relevant:
            return other.url, one.url
    return None


def load_examples(file: Path, topic: Topic) -> list[TopicExample]:
    """The examples of a topic; labels in the file of the topic override those of the examples."""
    path = examples_file(file)
    try:
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        found = [
            TopicExample(one["url"], bool(one["relevant"]), one["text"]) for one in map(json.loads, lines)
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} cannot be read ({error}); build the topic again with `topic build`"
        ) from None
    good, bad = set(topic.relevant), set(topic.irrelevant)
    return [one._replace(relevant=one.url in good or (one.relevant and one.url not in bad)) for one in found]


def replace_text(file: Path, text: str) -> None:
    """Replace a file atomically: a power cut leaves the old one or the new one."""
    new = file.with_name(file.name + ".new")
    with new.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    new.replace(file)
