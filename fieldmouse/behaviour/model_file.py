"""The model of changes as a file of the archive."""

from pathlib import Path

from fieldmouse.errors import ConfigError, UsageError
from fieldmouse.files.append_only import replace
from fieldmouse.files.shared_content import publish
from fieldmouse.learn.learner import load

from .change_model import ChangeModel

MODEL_FILE = "behaviour.json"


def save_model(model: ChangeModel, folder: Path) -> Path:
    """Write a model into the archive."""
    target = folder / "models" / MODEL_FILE
    target.parent.mkdir(exist_ok=True)
    replace(target, [model.save()])
    publish(target)
    return target


def load_model(folder: Path) -> ChangeModel | None:
    """The model of an archive; None if it has none."""
    file = folder / "models" / MODEL_FILE
    if not file.is_file():
        return None
    try:
        found = load(file.read_bytes())
    except UsageError as error:
        raise ConfigError(f"{file}: {error}; remove it, or run `train behaviour`") from None
    if not isinstance(found, ChangeModel):
        raise ConfigError(f"{file} is not a model of changes; remove it, or run `train behaviour`")
    return found
