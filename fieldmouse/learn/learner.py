"""The contract of every learner, the registry of learners by name, and saved models.

The keyword arguments of a learner's constructor are its settings; they become attributes of the same names.
`fit` learns from a batch and `learn` from one example. `judge` gives a score with its reasons, `score` the
score alone. `save` writes the whole model with its card, and `load` returns a learner with equal verdicts.
"""

import inspect
import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from fieldmouse.errors import UsageError
from fieldmouse.types import Verdict

FORMAT = 1

X = TypeVar("X")


@dataclass(frozen=True, slots=True)
class TrainingRecord:
    """How a model was trained."""

    data: str = ""
    date: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)  # measured on examples it did not learn from


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """What a model is."""

    learner: str
    purpose: str
    not_for: str  # what the model must not be used for
    settings: Mapping[str, Any]
    examples: int  # examples it learned from
    training: TrainingRecord


class Learner(ABC, Generic[X]):
    """A model that learns from labelled examples and judges new ones."""

    name: str = ""  # in the registry
    purpose: ClassVar[str]
    not_for: ClassVar[str]
    training = TrainingRecord()

    @property
    @abstractmethod
    def examples_seen(self) -> int:
        """How many examples the model learned from."""

    @abstractmethod
    def score(self, example: X) -> float:
        """The score of `judge` without the reasons."""

    @abstractmethod
    def judge(self, example: X) -> Verdict:
        """The score and its reasons, the strongest first."""

    @abstractmethod
    def state(self) -> Any:
        """Everything that was learned, as JSON values."""

    @abstractmethod
    def restore(self, state: Any) -> None:
        """Replace what was learned by what `state` returned."""

    def learn(self, example: X, label: float) -> None:  # noqa: ARG002
        """Learn from one example."""
        raise UsageError(f"the learner {self.name!r} learns from a whole batch only")

    def fit(self, examples: Sequence[X], labels: Sequence[float]) -> Self:
        """Learn from a batch."""
        for example, label in zip(examples, labels, strict=True):
            self.learn(example, label)
        return self

    def settings(self) -> dict[str, Any]:
        """The settings that the constructor received."""
        parameters = inspect.signature(type(self)).parameters.values()
        return {one.name: getattr(self, one.name) for one in parameters if one.kind is one.KEYWORD_ONLY}

    def card(self) -> ModelCard:
        """What this model is."""
        return ModelCard(
            learner=self.name, purpose=self.purpose, not_for=self.not_for, settings=self.settings(),
            examples=self.examples_seen, training=self.training,
        )  # fmt: skip

    def save(self) -> bytes:
        """The whole model with its card, as JSON."""
        body = json.dumps({"format": FORMAT, "card": asdict(self.card()), "state": self.state()})
        return f'{{"crc32": {zlib.crc32(body.encode())}, "model": {body}}}\n'.encode()


class RegisteredLearner(NamedTuple):
    """A registered learner: how to make it, and the task it serves."""

    make: Callable[..., Learner[Any]]
    task: str
    settings: Mapping[str, Any]


REGISTRY: dict[str, RegisteredLearner] = {}

L = TypeVar("L", bound=type[Learner[Any]])


def register(name: str, task: str, **settings: Any) -> Callable[[L], L]:
    """Put a class into the registry, with the settings that its name stands for."""

    def add(kind: L) -> L:
        REGISTRY[name] = RegisteredLearner(kind, task, settings)
        return kind

    return add


def learner_names(task: str) -> list[str]:
    """The learners of a task, in the order of registration."""
    return [name for name, recipe in REGISTRY.items() if recipe.task == task]


def make_learner(name: str, *parts: Any, task: str = "", **settings: Any) -> Learner[Any]:
    """A learner by name; `parts` are the positional arguments of its constructor."""
    recipe = REGISTRY.get(name)
    if recipe is None or task not in ("", recipe.task):
        names = learner_names(task) if task else list(REGISTRY)
        raise UsageError(f"there is no learner {name!r}; there are {', '.join(names)}")
    made = recipe.make(*parts, **{**recipe.settings, **settings})
    made.name = name
    return made


def load(data: bytes, *parts: Any) -> Learner[Any]:
    """What `save` wrote; a UsageError when it is damaged."""
    try:
        saved = json.loads(data)
        model = saved["model"]
        if zlib.crc32(data.partition(b'"model": ')[2].removesuffix(b"}\n")) != saved["crc32"]:
            raise ValueError("the checksum does not match")
        if model["format"] != FORMAT:
            raise ValueError(f"it has format {model['format']}, this release reads format {FORMAT}")
        card = model["card"]
        learner = make_learner(card["learner"], *parts, **card["settings"])
        learner.restore(model["state"])
        learner.training = TrainingRecord(**card["training"])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise UsageError(f"the saved model is damaged or is not a model: {error}") from None
    return learner
