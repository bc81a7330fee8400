"""Makes the spam models that ship with the program: `python -m scripts.make_spam_models LISTS WORDNET`.

LISTS is the folder of SmokeDetector's lists, WORDNET that of WordNet's own files (`data.noun`, ...). All the
rest is made up here from `made_texts.toml`: no labelled set of real texts may be shipped, so none is learned.
"""

import gzip
import random
import re
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from fieldmouse.learn.learner import TrainingRecord, make_learner
from fieldmouse.learn.ngram_linear import NgramLinear
from fieldmouse.spam.scores import COMMENT, CONTENT

TARGET = Path(__file__).parents[1] / "fieldmouse" / "spam"
COMMENTS, PAGES = 6000, 3000  # of each class
LEARNER = "linear words and characters"
DATA = (
    "made-up texts of scripts/made_texts.toml, examples and glosses of WordNet 3.0 (Princeton), spam words "
    "and domains of Charcoal-SE/SmokeDetector (Apache-2.0 or MIT); no text of real people or pages; English"
)
WEAK = "; WEAK: it was never compared with pages that people called spam, and is off by default"
_SLOT = re.compile(r"\{(\w+)\}")
_LITERAL = re.compile(r"[a-z0-9][a-z0-9 .'-]{3,40}", re.IGNORECASE)


class Maker:
    """Fills templates with entries of lists, and adds what people do to their texts."""

    def __init__(self, lists: dict[str, list[str]], rng: random.Random) -> None:
        """Take the lists by name."""
        self.lists, self.rng = lists, rng

    def fill(self, template: str) -> str:
        """Replace every slot, also those in what replaces one."""
        while found := _SLOT.search(template):
            template = template[: found.start()] + self._one(found[1]) + template[found.end() :]
        return template

    def _one(self, name: str) -> str:
        rng = self.rng
        if name == "number":
            return str(
                rng.choice([rng.randrange(10, 100), rng.randrange(100, 1000), rng.randrange(1000, 99999)])
            )
        if name == "digit":
            return str(rng.randrange(2, 20))
        if name == "minute":
            return f"{rng.randrange(0, 12)}:{rng.randrange(60):02}"
        if name == "code":
            return "".join(
                rng.choices(
                    "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789", k=rng.randrange(6, 12)
                )
            )
        return rng.choice(self.lists[name])

    def roughen(self, text: str) -> str:
        """Capitals, missing or many signs, dropped and doubled letters, as hasty people write."""
        rng = self.rng
        case = rng.random()
        text = text.upper() if case < 0.08 else text.capitalize() if case < 0.5 else text
        if rng.random() < 0.15 and len(text) > 8 and "://" not in text:
            at = rng.randrange(1, len(text) - 1)
            text = text[:at] + rng.choice(["", text[at] * 2, text[at] * 4]) + text[at + 1 :]
        if rng.random() < 0.25:
            text += rng.choice(["!", "!!!", ".", "...", "?", " :)", " ;)", " <3", " \u2665", " lol"])
        return text


def literals(folder: Path) -> list[str]:
    """The spam words and domains of the lists that are plain text."""
    found: list[str] = []
    for name in ("bad_keywords", "watched_keywords", "blacklisted_websites"):
        with gzip.open(folder / f"smokedetector_{name}.txt.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                text = line.rstrip("\n").rpartition("\t")[2]
                text = (
                    re.sub(r"\[\\W_\]\*\+?|\\W\??|\\s[*+]?| \?", " ", text)
                    .replace("\\.", ".")
                    .replace("-?", "")
                )
                if _LITERAL.fullmatch(text):
                    found.append(text.strip())
    return found


def sentences(folder: Path) -> tuple[list[str], list[str]]:
    """The examples and the definitions of WordNet's glosses."""
    examples, definitions = [], []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
            gloss = line.partition(" | ")[2]
            quoted = re.findall(r'"([^"]{8,200})"', gloss)
            examples += [one for one in quoted if " " in one]
            definitions.append(gloss.partition(";")[0].strip())
    return examples, definitions


def main(lists: Path, wordnet: Path) -> None:
    """Make the texts, train, write."""
    rng = random.Random(1)  # noqa: S311
    made = tomllib.loads((Path(__file__).parent / "made_texts.toml").read_text("utf-8"))
    keywords = literals(lists)
    examples, definitions = sentences(wordnet)
    maker = Maker({**made["lists"], "keyword": keywords}, rng)

    def comments() -> Iterator[tuple[str, float]]:
        for at in range(COMMENTS):
            text = maker.fill(rng.choice(made["spam"]["comment"]))
            if at % 8 == 0:
                word = rng.choice(keywords)
                text = maker.fill(
                    rng.choice(["{act} " + word, word + " {offer}", word + " {url}", "{ask} " + word])
                )
            if rng.random() < 0.2:  # spam often starts as praise
                text = f"{maker.fill(rng.choice(made['ham']['comment']))} {text}"
            yield maker.roughen(text), 1.0
            text = maker.fill(rng.choice(made["ham"]["comment"]))
            if at % 3 == 0:
                text = rng.choice(examples)
            elif rng.random() < 0.25:
                text = f"{text} {maker.fill(rng.choice(made['ham']['comment']))}"
            yield maker.roughen(text), 0.0

    def pages() -> Iterator[tuple[str, float]]:
        for _ in range(PAGES):
            size = int(rng.lognormvariate(2.5, 0.8)) + 3
            for spam in (True, False):
                share = rng.uniform(0.35, 1.0) if spam else rng.uniform(0.0, 0.7)
                own = made["pages"]["spam" if spam else "ham"]
                parts = [
                    maker.fill(rng.choice(own)) if rng.random() < share
                    else f"{rng.choice(rng.choice((examples, definitions))).capitalize()}."
                    for _ in range(size)
                ]  # fmt: skip
                yield " ".join(parts), float(spam)

    for scale, texts in ((COMMENT, comments()), (CONTENT, pages())):
        each, labels = zip(*texts, strict=True)
        learner = make_learner(LEARNER, limit=scale.read).fit(each, labels)
        assert isinstance(learner, NgramLinear)
        learner.training = TrainingRecord(
            DATA + (WEAK if scale is CONTENT else ""), datetime.now(UTC).date().isoformat(), {}
        )
        target = TARGET / scale.model
        target.write_bytes(learner.to_file())
        sys.stdout.write(f"{target}: {learner.examples_seen} texts, {target.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
