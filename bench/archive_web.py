"""A web of short notes by date for `bench.focus`: `python -m bench.archive_web OUT --data DIR [--seed N]`.

DIR holds a labelled web with real text, see `bench.labelled`; its pages are cut into notes of some sentences,
each with the subjects of its page. Notes are found through lists: of a month, of a tag (twenty a list, each
list with a link to the next) and of an author. A tag is drawn from all words, so that it seldom tells a
subject. A note links to the one before and the one after, to its author, to two others of its subject or not,
and to the newest. Half of the anchors say "read more". Lists have no subject, and no address tells one.
"""

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from .labelled import load
from .labelled_make import BOTH, Sheet, write

NOTES, AUTHORS, TAGS, MONTHS, ON_A_LIST = 6000, 60, 150, 120, 20
SENTENCES = (3, 14)
RELATED = 0.5  # of the links to two others are to notes of the same subject
SENTENCE = re.compile(r"(?<=[.!?])\s+")


class Note(NamedTuple):
    """A note before it is written."""

    path: str
    title: str
    sentences: tuple[str, ...]
    subjects: tuple[str, ...]
    author: int
    tags: tuple[int, ...]


def notes(folder: Path, rng: random.Random) -> list[Note]:
    """Parts of the pages of a labelled web, in the order of their dates."""
    web = load(folder)
    subjects: dict[str, list[str]] = {}
    for name, urls in web.subjects.items():
        for url in urls:
            subjects.setdefault(url, []).append(name)
    parts = []
    for url in sorted(web.texts.keys() - web.stubs):
        sentences = [one for one in SENTENCE.split(web.texts[url]) if 40 < len(one) < 600]
        while len(sentences) > SENTENCES[0]:
            size = rng.randint(*SENTENCES)
            parts.append((tuple(sentences[:size]), tuple(sorted(subjects.get(url, ())))))
            del sentences[:size]
    rng.shuffle(parts)
    return [
        Note(
            f"{number * MONTHS // NOTES // 12 + 2010}/{number * MONTHS // NOTES % 12 + 1:02}/{number}.html",
            " ".join(rng.choice(sentences).split()[:6]),
            sentences,
            kinds,
            rng.randrange(AUTHORS),
            tuple(rng.sample(range(TAGS), 2)),
        )
        for number, (sentences, kinds) in enumerate(parts[:NOTES])
    ]


def lists(name: str, found: Sequence[Note]) -> Iterator[Sheet]:
    """The lists of some notes, each with a link to the next."""
    for first in range(0, len(found), ON_A_LIST):
        number = first // ON_A_LIST
        rows = [anchor(f"{name}/{number + 1}.html", "older")] if first + ON_A_LIST < len(found) else []
        rows += [anchor(one.path, one.title) for one in found[first : first + ON_A_LIST]]
        yield Sheet(f"{name}/{number}.html", "", page("notes", [], rows))


def anchor(path: str, words: str) -> str:
    """A link."""
    return f'<a href="/{path}">{escape(words)}</a>'


def page(title: str, sentences: Sequence[str], rows: Sequence[str]) -> str:
    """A page: text, then links."""
    listed = "".join(f"<li>{row}</li>" for row in rows)
    return f"<title>{escape(title)}</title><p>{escape(' '.join(sentences))}</p><ul>{listed}</ul>"


def archive(folder: Path, seed: int) -> Iterator[Sheet]:
    """All pages."""
    rng = random.Random(seed)
    found = notes(folder, rng)
    words = sorted({word for one in found for word in one.title.lower().split() if word.isalpha()})
    tags = [f"tag/{word}" for word in rng.sample(words, TAGS)]
    kin: dict[str, list[Note]] = {}
    for one in found:
        for subject in one.subjects:
            kin.setdefault(subject, []).append(one)
    newest = [anchor(one.path, one.title) for one in found[-5:]]

    def worded(one: Note) -> str:
        return anchor(one.path, one.title if rng.random() < 0.5 else "read more")

    for number, one in enumerate(found):
        month, _, _ = one.path.rpartition("/")
        beside = [kin[one.subjects[-1]] if one.subjects and rng.random() < RELATED else found for _ in "12"]
        rows = [
            anchor(f"{month}/list/0.html", "archive"),
            *(anchor(f"{tags[tag]}/0.html", tags[tag].partition("/")[2]) for tag in one.tags),
            anchor(f"author/{one.author}/0.html", f"author {one.author}"),
            *(worded(other) for other in found[max(number - 1, 0) : number + 2] if other != one),
            *(worded(rng.choice(some)) for some in beside),
            *newest,
        ]
        yield Sheet(one.path, BOTH.join(one.subjects), page(one.title, one.sentences, rows))
    for number in range(AUTHORS):
        yield from lists(f"author/{number}", [one for one in found if one.author == number])
    for number, tag in enumerate(tags):
        yield from lists(tag, [one for one in found if number in one.tags])
    for month in sorted({one.path.rpartition("/")[0] for one in found}):
        yield from lists(f"{month}/list", [one for one in found if one.path.startswith(f"{month}/")])


def main() -> None:
    """Write the web."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(f"{write(asked.out, archive(asked.data, asked.seed))} pages")


if __name__ == "__main__":
    main()
