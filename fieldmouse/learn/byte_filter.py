"""The filter of Cormack, Smucker and Clarke (2011): online logistic regression over the set of byte 4-grams.

A 4-gram is a big-endian number modulo 1,000,081. Each counts once. There is no bias and no normalisation.
"""

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldmouse.types import Verdict

from .learner import Learner, register
from .ngram_linear import TASK, logistic

PLACES = 1_000_081
READ = 35_000  # bytes of a text


@register("byte 4-grams", TASK)
class ByteFilter(Learner[str]):
    """The probability of spam by the bytes of a text."""

    purpose = "estimates whether a text is spam from its bytes, as Cormack et al. do"
    not_for = "decisions about people; texts unlike the training data"

    def __init__(self, *, step: float = 0.002) -> None:
        self.step = step
        self.rows_ = 0
        self.weights_ = np.zeros(PLACES)

    @property
    def examples_seen(self) -> int:
        """How many texts the model learned from."""
        return self.rows_

    def learn(self, example: str, label: float) -> None:
        """Move the weights of the text's 4-grams towards its label."""
        places = byte_grams(example)
        error = label - logistic(float(self.weights_[places].sum()))
        self.weights_[places] += self.step * error
        self.rows_ += 1

    def log_odds(self, example: str) -> float:
        """The sum of the weights of the text's 4-grams."""
        return float(self.weights_[byte_grams(example)].sum())

    def score(self, example: str) -> float:
        """The probability of spam."""
        return logistic(self.log_odds(example)) if self.rows_ else 0.0

    def judge(self, example: str) -> Verdict:
        """The probability of spam, and the strongest 4-gram."""
        if not self.rows_:
            return Verdict(0.0, ("nothing was learned yet",))
        score = self.score(example)
        return Verdict(score, (f"{score:.0%} probability of spam by its bytes",))

    def state(self) -> Any:
        return [self.rows_, base64.b64encode(zlib.compress(self.weights_.tobytes(), 6)).decode()]

    def restore(self, state: Any) -> None:
        self.rows_ = int(state[0])
        self.weights_ = np.frombuffer(zlib.decompress(base64.b64decode(state[1]))).copy()


def byte_grams(text: str) -> NDArray[np.int64]:
    """The places of the 4-grams of a text's bytes, each once."""
    data = np.frombuffer(text.encode("utf-8", "replace")[:READ], np.uint8).astype(np.int64)
    if len(data) < 4:
        return np.empty(0, np.int64)
    return np.unique(((data[:-3] << 24) + (data[1:-2] << 16) + (data[2:-1] << 8) + data[3:]) % PLACES)
