"""Other labelled webs for `bench.focus`, to see that nothing holds for one web only.

`python -m bench.labelled_make folder OUT --html DIR` takes real pages, such as manuals; their subjects are
the folders they stand in. With `--opaque` every address is a number in one of twenty folders, so that none
tells a subject. `python -m bench.labelled_make made OUT` writes a web in a language that nobody speaks, where
pages link to their own subject and its neighbours more than to others; with `--bare` no anchor says anything.
Both write the files that `bench.labelled` reads.
"""

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from html import unescape
from itertools import accumulate
from pathlib import Path
from posixpath import dirname, normpath
from posixpath import join as joined
from typing import NamedTuple
from urllib.parse import unquote

import zstandard

ANCHOR = re.compile(r'(<a\b[^>]*?\s)href="([^"]*)"', re.IGNORECASE)
BOTH = "|"
LEAST_BYTES = 600  # what is shorter leads on to another page
SUBJECTS, PAGES, OWN_WORDS, COMMON = 40, 8000, 120, 3000


class Sheet(NamedTuple):
    """A page of a labelled web."""

    path: str
    subject: str  # empty if it has none; several have BOTH between them
    html: str


def write(out: Path, sheets: Iterable[Sheet]) -> int:
    """The files of a labelled web; how many pages there are."""
    out.mkdir(parents=True, exist_ok=True)
    pages = list(sheets)
    rows = (json.dumps({"path": one.path, "kind": "page", "title": "", "html": one.html}) for one in pages)
    (out / "pages.jsonl.zst").write_bytes(zstandard.compress("\n".join(rows).encode()))
    (out / "links.tsv.zst").write_bytes(zstandard.compress(b"src\tdst\tanchor\n"))  # all stand in the HTML
    with gzip.open(out / "categories.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("path\tcategory\n")
        file.writelines(
            f"{one.path}\t{subject}\n" for one in pages for subject in one.subject.split(BOTH) if subject
        )
    return len(pages)


def of_folder(html: Path, opaque: bool) -> Iterator[Sheet]:
    """Every page below a folder; its subject is the folder it stands in, within wider ones."""
    files = sorted(file for kind in ("*.html", "*.htm") for file in html.rglob(kind))
    texts = {str(file.relative_to(html)): file.read_text("utf-8", "replace") for file in files}
    texts = {path: text for path, text in texts.items() if len(text) >= LEAST_BYTES}
    names = {path: numbered(path) if opaque else path for path in texts}

    def renamed(path: str, text: str) -> str:
        def there(found: re.Match[str]) -> str:
            place = normpath(joined(dirname(path), unquote(unescape(found[2])).partition("#")[0]))
            return f'{found[1]}href="/{names[place]}"' if place in names else found[1]

        return ANCHOR.sub(there, text)

    for path, text in texts.items():
        subject = dirname(path).replace(".", "_").replace("/", ".") or "top"
        yield Sheet(names[path], subject, renamed(path, text))


def numbered(path: str) -> str:
    """An address that says nothing."""
    digest = blake2b(path.encode(), digest_size=6).digest()
    return f"{digest[0] % 20}/{int.from_bytes(digest[1:])}"


class Language:
    """Words of subjects and words of all pages, each the rarer the later it stands in its list."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names = [f"{self.word()} {self.word()}" for _ in range(SUBJECTS)]
        self.own = [[*name.split(), *(self.word() for _ in range(OWN_WORDS))] for name in self.names]
        self.common = [self.word() for _ in range(COMMON)]
        self._own_odds = list(accumulate(1 / (n + 2) for n in range(OWN_WORDS + 2)))
        self._odds = list(accumulate(1 / (n + 3) for n in range(COMMON)))

    def word(self) -> str:
        """A new word."""
        pairs = (self.rng.choice("bcdfghklmnprstvz") + self.rng.choice("aeiouäöüé") for _ in range(3))
        return "".join(pairs) + self.rng.choice(("", "n", "s", "r"))

    def said(self, subject: int, size: int) -> list[str]:
        """Some words about a subject: few are its own, some a neighbour's, most say nothing."""
        rng, share, words = self.rng, self.rng.uniform(0.06, 0.25), []
        for _ in range(size):
            lot = rng.random()
            about = subject if lot < share else (subject + rng.choice((-1, 1))) % SUBJECTS
            known = lot < share + 0.05
            odds = self._own_odds if known else self._odds
            words += rng.choices(self.own[about] if known else self.common, cum_weights=odds)
        return words


def made(bare: bool, seed: int) -> Iterator[Sheet]:
    """The web that is made; a third of the links stay in the subject, a sixth go to its neighbours."""
    rng = random.Random(seed)
    language = Language(rng)
    subjects = [rng.randrange(SUBJECTS) for _ in range(PAGES)]
    kinds = [[n for n, one in enumerate(subjects) if one == kind] for kind in range(SUBJECTS)]
    for n, subject in enumerate(subjects):
        beside = kinds[(subject + rng.choice((-1, 1))) % SUBJECTS]
        pools = rng.choices((kinds[subject], beside, range(PAGES)), (6, 3, 9), k=rng.randint(3, 25))
        parts = []
        for target in map(rng.choice, pools):
            anchor = "*" if bare else " ".join(language.said(subjects[target], 2))
            parts.append(" ".join(language.said(subject, rng.randint(5, 50))))
            parts.append(f'<a href="/{numbered(str(target))}">{anchor}</a>')
        yield Sheet(numbered(str(n)), language.names[subject], f"<p>{' '.join(parts)}</p>")


def main() -> None:
    """Write a web."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kind", choices=("folder", "made"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--html", type=Path, help="folder of HTML files")
    parser.add_argument("--opaque", action="store_true", help="addresses that say nothing")
    parser.add_argument("--bare", action="store_true", help="anchors that say nothing")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.kind == "folder" and not asked.html:
        parser.error("--html says which folder")
    found = of_folder(asked.html, asked.opaque) if asked.kind == "folder" else made(asked.bare, asked.seed)
    print(f"{write(asked.out, found)} pages")


if __name__ == "__main__":
    main()
