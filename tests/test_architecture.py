"""The journeys in docs/architecture.md: every function that is named exists, and each list is short."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST = 25

_STEP = re.compile(r"^\d+\. `([\w.]+)` \(`([\w./]+\.py)`\)", re.MULTILINE)
_SECTIONS = re.split(r"^## ", (ROOT / "docs" / "architecture.md").read_text("utf-8"), flags=re.MULTILINE)[1:]
JOURNEYS = {title: _STEP.findall(text) for title, _, text in (one.partition("\n") for one in _SECTIONS)}
STEPS = [step for steps in JOURNEYS.values() for step in steps]


def functions(tree: ast.Module) -> set[str]:
    """The functions of a module, and the methods of its classes with their class."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = {node.name for node in tree.body if isinstance(node, kinds)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{one.name}" for one in node.body if isinstance(one, kinds)}
    return found


@pytest.mark.parametrize(("name", "file"), STEPS, ids=lambda one: one)
def test_every_step_exists(name: str, file: str) -> None:
    assert name in functions(ast.parse((ROOT / file).read_text("utf-8")))


@pytest.mark.parametrize("title", JOURNEYS)
def test_a_journey_is_short_and_numbered_in_order(title: str) -> None:
    text = next(one for one in _SECTIONS if one.startswith(title))
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1)), "every step is numbered and has a file"
    assert len(numbers) == len(JOURNEYS[title]) <= MOST


def test_the_journey_of_a_page_is_there() -> None:
    assert len(JOURNEYS["The journey of a page"]) > 15


def test_the_turn_of_a_refresh_is_there() -> None:
    assert len(JOURNEYS["The turn of a refresh"]) > 15
