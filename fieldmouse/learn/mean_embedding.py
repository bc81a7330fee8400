"""A text classifier like fastText: the mean of the vectors of hashed word n-grams, then one logistic unit."""

import base64
import zlib
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fieldmouse.types import Verdict

from .learner import Learner, register
from .ngram_linear import TASK, logistic
from .text_hashing import hashed

TOGETHER = 16  # texts whose vectors are moved in one step of the training


@register("like fastText", TASK)
class MeanEmbedding(Learner[str]):
    """The probability of spam by the mean vector of a text's n-grams; trained by gradient descent."""

    purpose = "estimates whether a text is spam from the vectors of its words"
    not_for = "decisions about people; texts unlike the training data"

    def __init__(
        self,
        *,
        words: int = 2,
        bits: int = 15,
        size: int = 10,
        epochs: int = 25,
        step: float = 0.5,
        seed: int = 1,
    ) -> None:
        self.words, self.bits, self.size = words, bits, size
        self.epochs, self.step, self.seed = epochs, step, seed
        self.rows_ = 0
        self.vectors_ = np.zeros((0, size), np.float32)
        self.unit_ = np.zeros(size, np.float32)

    @property
    def examples_seen(self) -> int:
        """How many texts the model learned from."""
        return self.rows_

    def fit(self, examples: Sequence[str], labels: Sequence[float]) -> Self:
        """Learn from texts, in a new order each epoch; the step falls to zero."""
        if not examples or len(examples) != len(labels):
            raise ValueError("a learner of texts needs texts, and a label for each")
        rng = np.random.default_rng(self.seed)
        self.vectors_ = rng.uniform(-1 / self.size, 1 / self.size, (1 << self.bits, self.size)).astype(
            np.float32
        )
        self.unit_ = np.zeros(self.size, np.float32)
        self.rows_ = len(examples)
        read = [(*self._shares(text), label) for text, label in zip(examples, labels, strict=True)]
        texts = [one for one in read if len(one[0])]
        left = total = self.epochs * len(texts)
        for _ in range(self.epochs):
            order = rng.permutation(len(texts))
            for begin in range(0, len(texts), TOGETHER):
                batch = [texts[at] for at in order[begin : begin + TOGETHER]]
                self._step(batch, np.float32(self.step * left / total))
                left -= len(batch)
        return self

    def _step(
        self, batch: Sequence[tuple[NDArray[np.int64], NDArray[np.float32], float]], step: np.float32
    ) -> None:
        """Move the vectors of some texts, which are as they were before for all of them."""
        sizes = [len(places) for places, _, _ in batch]
        places, shares = (np.concatenate([one[part] for one in batch]) for part in (0, 1))
        means = np.add.reduceat(shares[:, None] * self.vectors_[places], np.cumsum([0, *sizes[:-1]]), axis=0)
        odds = np.clip(means @ self.unit_, -60.0, 60.0)
        errors = step * (np.array([label for _, _, label in batch], np.float32) - 1 / (1 + np.exp(-odds)))
        changes = shares[:, None] * np.repeat(errors[:, None] * self.unit_, sizes, axis=0)
        self.unit_ += errors @ means
        order = np.argsort(places)  # an n-gram of several texts is moved by all of them
        used, first = np.unique(places[order], return_index=True)
        self.vectors_[used] += np.add.reduceat(changes[order], first, axis=0)

    def score(self, example: str) -> float:
        """The probability of spam."""
        if not self.rows_:
            return 0.0
        places, shares = self._shares(example)
        return logistic(float(shares @ self.vectors_[places] @ self.unit_))

    def judge(self, example: str) -> Verdict:
        """The probability of spam."""
        if not self.rows_:
            return Verdict(0.0, ("nothing was learned yet",))
        score = self.score(example)
        return Verdict(score, (f"{score:.0%} probability of spam by the vectors of its words",))

    def state(self) -> Any:
        packed = zlib.compress(self.vectors_.tobytes() + self.unit_.tobytes(), 6)
        return [self.rows_, base64.b64encode(packed).decode()]

    def restore(self, state: Any) -> None:
        self.rows_ = int(state[0])
        numbers = np.frombuffer(zlib.decompress(base64.b64decode(state[1])), np.float32).copy()
        self.vectors_, self.unit_ = numbers[: -self.size].reshape(-1, self.size), numbers[-self.size :]

    def _shares(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The places of a text's n-grams, and the share of each."""
        found = hashed(text, words=self.words, chars=(0, 0), bits=self.bits, limit=10_000)
        return found.places, found.counts / max(1.0, float(found.counts.sum()))
