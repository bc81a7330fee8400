"""Logistic regression over hashed n-grams of words and characters, weighted by TF-IDF.

scikit-learn trains it. Scoring needs numpy alone, and a file of two tables of half-precision numbers, which
is mapped into memory: all processes that score share it.
"""

import base64
import json
import math
import mmap
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fieldmouse.errors import UsageError
from fieldmouse.types import Verdict

from .learner import FORMAT, Learner, TrainingRecord, make_learner, register
from .text_hashing import HashedText, hashed, word_grams

TASK = "texts"
MAGIC = b"FMNGRAM\n"
REASONS = 5  # words that a verdict names

Table = NDArray[np.float16]


@register("linear words", TASK, words=2, chars=(0, 0))
@register("linear words and characters", TASK)
class NgramLinear(Learner[str]):
    """The probability that a text belongs to the class it was trained on, as spam.

    The n-grams of words and those of characters are each scaled to length 1, so a long text counts no more
    than a short one. A label between 0 and 1 counts as that share of an example.
    """

    purpose = "estimates whether a text is spam from its words and characters"
    not_for = (
        "decisions about people; deleting anything without a look at it; languages it did not learn from"
    )

    def __init__(
        self,
        *,
        words: int = 2,
        chars: Sequence[int] = (2, 5),
        bits: int = 17,
        limit: int = 10_000,
        strength: float = 10.0,
    ) -> None:
        self.words, self.bits, self.limit, self.strength = words, bits, limit, strength
        self.chars = (int(chars[0]), int(chars[1]))
        self.rows_ = 0
        self.bias_ = 0.0
        empty: Table = np.zeros(0, np.float16)
        self.idf_, self.weights_ = empty, empty  # weights are those of the regression times the idf

    @property
    def examples_seen(self) -> int:
        """How many texts the model learned from."""
        return self.rows_

    def fit(self, examples: Sequence[str], labels: Sequence[float]) -> Self:
        """Learn from texts, and the share of spam in each: 0 or 1, or between."""
        texts = self._read(examples, labels)
        seen = np.bincount(np.concatenate([one.places for one in texts]), minlength=1 << self.bits)
        self.idf_ = (np.log((1 + len(texts)) / (1 + seen)) + 1).astype(np.float16)
        self._train(texts, labels, None)
        return self

    def adapt(self, base: "NgramLinear", examples: Sequence[str], labels: Sequence[float]) -> Self:
        """Learn from texts what another model of the same settings does not know."""
        if base.settings() != self.settings() or not base.rows_:
            raise ValueError("a model adapts only a trained model with the same settings")
        texts = self._read(examples, labels)
        self.idf_ = base.idf_
        self._train(texts, labels, base)
        return self

    def _read(self, examples: Sequence[str], labels: Sequence[float]) -> list[HashedText]:
        if not examples or len(examples) != len(labels):
            raise ValueError("a learner of texts needs texts, and a label for each")
        self.rows_ = len(examples)
        return [self._hashed(one) for one in examples]

    def _train(self, texts: list[HashedText], labels: Sequence[float], base: "NgramLinear | None") -> None:
        """Fit the regression; the log-odds of `base` are one more column."""
        try:
            from scipy.sparse import csr_matrix, hstack
            from sklearn.linear_model import LogisticRegression
        except ImportError:
            raise UsageError(
                "this learner trains with scikit-learn: pip install 'fieldmouse[learn]'"
            ) from None
        ends = np.cumsum([0, *(len(one.places) for one in texts)])
        used, places = np.unique(np.concatenate([one.places for one in texts]), return_inverse=True)
        cells = (np.concatenate([self._weighed(one) for one in texts]), places, ends)
        rows = csr_matrix(cells, shape=(len(texts), len(used)))
        if base is not None:
            odds = np.array([base._log_odds(one) for one in texts])
            rows = hstack((rows, odds[:, None]), format="csr")
        share = np.asarray(labels, np.float64)
        self.weights_ = np.zeros_like(self.idf_)
        if not 0.0 < share.sum() < len(share):  # one class only
            self.bias_ = math.copysign(6.0, share.sum() - 0.5)
            return
        picked = np.concatenate((np.flatnonzero(share < 1), np.flatnonzero(share > 0)))
        classes = np.repeat([0, 1], [np.count_nonzero(share < 1), np.count_nonzero(share > 0)])
        parts = np.where(classes == 1, share[picked], 1 - share[picked])
        parts *= np.where(classes == 1, 0.5 / share.mean(), 0.5 / (1 - share.mean()))  # both count alike
        model = LogisticRegression(C=self.strength, max_iter=300).fit(rows[picked], classes, parts)
        self.bias_ = float(model.intercept_[0])
        self.weights_[used] = model.coef_[0][: len(used)] * self.idf_[used]
        if base is not None:
            trust = float(model.coef_[0][-1])
            self.bias_ += trust * base.bias_
            self.weights_ += (trust * base.weights_.astype(np.float64)).astype(np.float16)

    def score(self, example: str) -> float:
        """The probability of spam."""
        if not self.rows_:
            return 0.0
        text = self._hashed(example)
        if not len(text.places):
            return 0.0
        return logistic(self._log_odds(text))

    def _log_odds(self, text: HashedText) -> float:
        tf = np.log(text.counts)
        tf += 1.0
        total, idf, weights = self.bias_, tf * self.idf_[text.places], tf * self.weights_[text.places]
        for part in (slice(text.words), slice(text.words, None)):
            norm = math.sqrt(float(np.dot(idf[part], idf[part])))
            total += float(weights[part].sum()) / norm if norm else 0.0
        return total

    def judge(self, example: str) -> Verdict:
        """The probability of spam, and the words that say so most."""
        if not self.rows_:
            return Verdict(0.0, ("nothing was learned yet",))
        score = self.score(example)
        found: dict[str, float] = {}
        for gram, place in word_grams(example, self.words or 1, self.bits, self.limit):
            found[gram] = float(self.weights_[place])
        sign = 1.0 if score > 0.5 else -1.0
        strongest = sorted(found, key=lambda gram: -sign * found[gram])[:REASONS]
        words = ", ".join(repr(gram) for gram in strongest if sign * found[gram] > 0)
        return Verdict(score, (f"{score:.0%} probability of spam", *([f"words: {words}"] if words else [])))

    def state(self) -> Any:
        tables = (
            base64.b64encode(zlib.compress(one.tobytes(), 6)).decode() for one in (self.idf_, self.weights_)
        )
        return [self.rows_, self.bias_, *tables]

    def restore(self, state: Any) -> None:
        self.rows_, self.bias_ = int(state[0]), float(state[1])
        self.idf_, self.weights_ = (
            np.frombuffer(zlib.decompress(base64.b64decode(one)), np.float16) for one in state[2:]
        )

    def to_file(self) -> bytes:
        """The model as a file that `from_file` maps: a head with the card as JSON, then both tables."""
        tables = self.idf_.tobytes() + self.weights_.tobytes()
        head = {
            "format": FORMAT, "card": asdict(self.card()), "bias": self.bias_, "crc32": zlib.crc32(tables)
        }  # fmt: skip
        packed = json.dumps(head).encode()
        start = -(-(len(MAGIC) + 4 + len(packed)) // 64) * 64  # tables begin at a multiple of 64 bytes
        packed = packed.ljust(start - len(MAGIC) - 4)
        return MAGIC + len(packed).to_bytes(4, "little") + packed + tables

    @staticmethod
    def from_file(file: Path) -> "NgramLinear":
        """Map the file that `to_file` made; a UsageError when it is damaged."""
        try:
            with file.open("rb") as opened:
                data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
            if data[: len(MAGIC)] != MAGIC:
                raise ValueError("it does not begin as one")
            start = len(MAGIC) + 4 + int.from_bytes(data[len(MAGIC) : len(MAGIC) + 4], "little")
            head = json.loads(data[len(MAGIC) + 4 : start])
            if head["format"] != FORMAT:
                raise ValueError(f"it has format {head['format']}, this release reads format {FORMAT}")
            card = head["card"]
            learner = make_learner(card["learner"], task=TASK, **card["settings"])
            assert isinstance(learner, NgramLinear)
            if zlib.crc32(memoryview(data)[start:]) != head["crc32"]:
                raise ValueError("the checksum does not match")
            tables = np.frombuffer(data, np.float16, offset=start).reshape(2, -1)
            if tables.shape[1] not in (0, 1 << learner.bits):
                raise ValueError("its tables have the wrong size")
            learner.idf_, learner.weights_ = tables
            learner.rows_, learner.bias_ = int(card["examples"]), float(head["bias"])
            learner.training = TrainingRecord(**card["training"])
        except (ValueError, LookupError, TypeError, AssertionError) as error:
            raise UsageError(f"{file} is damaged or is not a model of texts: {error}") from None
        return learner

    def _hashed(self, text: str) -> HashedText:
        return hashed(text, words=self.words, chars=self.chars, bits=self.bits, limit=self.limit)

    def _weighed(self, text: HashedText) -> NDArray[np.float64]:
        """The numbers of a text's row: TF-IDF, each block scaled to length 1."""
        row = (1.0 + np.log(text.counts)) * self.idf_[text.places].astype(np.float64)
        for part in (slice(text.words), slice(text.words, None)):
            norm = float(np.linalg.norm(row[part]))
            row[part] /= norm or 1.0
        return row


def logistic(log_odds: float) -> float:
    """The probability that has these log-odds."""
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, log_odds))))
