"""What the code promises about its own shape: who imports whom, what is public, how long things are."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import fieldmouse

ROOT = Path(__file__).parents[1]
PACKAGE = sorted((ROOT / "fieldmouse").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
OTHERS = sorted([*(ROOT / "bench").rglob("*.py"), *(ROOT / "scripts").rglob("*.py")])

# Nobody who asks for help should wait for these.
HEAVY = set(
    """ada_url aiodns asyncio brotli fastwarc isal numpy protego publicsuffixlist pycares pycurl rich
    uvloop warcio zstandard""".split()  # noqa: SIM905
)
MOCKS = set("mock pytest_mock responses respx httpretty vcr requests_mock aioresponses freezegun".split())  # noqa: SIM905


def by_name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


# --- imports ---------------------------------------------------------------------------------------------


def test_nothing_reaches_upward() -> None:
    """The import contract in pyproject.toml holds."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{one.name}" for one in node.names)


@pytest.mark.parametrize("path", TESTS, ids=by_name)
def test_tests_use_the_real_thing(path: Path) -> None:
    """No mock library, and no patching of attributes: servers are run, not imitated."""
    tree = parsed(path)
    mocks = [
        one for one in imported(tree) if one.partition(".")[0] in MOCKS or one.startswith("unittest.mock")
    ]
    fixtures = [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg) and node.arg == "mocker"]
    patches = [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in ("setattr", "setitem", "delattr", "delitem")
        and ast.unparse(node.value) in ("monkeypatch", "pytest.MonkeyPatch")
    ]
    assert mocks + fixtures + patches == []


def modules_after(code: str) -> set[str]:
    """The top-level modules a fresh interpreter holds after running some code."""
    script = f"import sys, json\n{code}\njson.dump(sorted(sys.modules), sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stderr)}


def test_importing_the_package_is_cheap() -> None:
    assert modules_after("import fieldmouse") & HEAVY == set()


def test_asking_for_help_loads_nothing_heavy() -> None:
    call = (
        "from fieldmouse.cli import cli\ntry: cli(['--help'])\nexcept SystemExit as end: assert not end.code"
    )
    assert modules_after(call) & HEAVY == set()


# --- what is public --------------------------------------------------------------------------------------


def test_all_is_exactly_what_is_exported() -> None:
    """In a fresh interpreter: other tests import submodules, which then hang on the package too."""
    script = (
        "import json, fieldmouse, types\n"
        "there = [k for k in dir(fieldmouse) if not k.startswith('_')"
        " and not isinstance(getattr(fieldmouse, k), types.ModuleType)]\n"
        "print(json.dumps(there))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    public = [name for name in fieldmouse.__all__ if not name.startswith("_")]
    assert sorted(public) == sorted(json.loads(done.stdout))
    assert len(public) <= 16, "a dozen names, not more"


def test_what_is_public_can_be_had_and_is_documented() -> None:
    public = [name for name in fieldmouse.__all__ if not name.startswith("_")]
    assert [name for name in fieldmouse.__all__ if not hasattr(fieldmouse, name)] == []
    page = ROOT / "docs/reference/python.md"
    text = page.read_text("utf-8") if page.exists() else ""
    assert [name for name in public if not re.search(rf"`(fieldmouse\.)?{name}\b", text)] == []


@pytest.mark.parametrize("path", [*PACKAGE, *OTHERS], ids=by_name)
def test_every_module_says_why_it_exists(path: Path) -> None:
    assert ast.get_docstring(parsed(path)), "give it a docstring"


# --- sizes -----------------------------------------------------------------------------------------------


class Size(NamedTuple):
    lines: int
    parameters: int
    name: str


def functions() -> list[Size]:
    """Every function of the package with its length, docstring left out, and its parameters without self."""
    found = []
    for path in PACKAGE:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[0]
                told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
                docs = (first.end_lineno or 0) - first.lineno + 1 if told else 0
                lines = (node.end_lineno or 0) - node.lineno + 1 - docs
                args = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                count = len([one for one in args if one not in ("self", "cls")])
                found.append(Size(lines, count, f"{by_name(path)}:{node.lineno} {node.name}"))
    return found


def test_functions_stay_readable() -> None:
    assert [one for one in functions() if one.lines > 60] == []


def test_functions_take_few_parameters() -> None:
    assert [one for one in functions() if one.parameters > 7] == []


def test_modules_stay_short() -> None:
    lengths = {by_name(path): len(path.read_text("utf-8").splitlines()) for path in PACKAGE}
    assert {name: lines for name, lines in lengths.items() if lines > 600} == {}


def test_one_name_one_thing() -> None:
    """No public class name and no module name stands twice in the package."""
    classes = Counter(
        node.name
        for path in PACKAGE
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    modules = Counter(path.name for path in PACKAGE if not path.name.startswith("__"))
    assert [name for name, count in (classes + modules).items() if count > 1] == []


# --- packaging -------------------------------------------------------------------------------------------


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    exact = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in exact}


def test_constraints_hold_versions_and_no_addresses() -> None:
    text = (ROOT / "constraints.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []
    assert "fieldmouse" not in pins()


def test_every_dependency_is_pinned_within_its_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    wanted = [
        *project["project"]["dependencies"],
        *(one for extra in extras for one in extra),
        *project["build-system"]["requires"],
    ]
    exact = pins()
    wrong = [
        text
        for text in wanted
        if (one := Requirement(text)) and exact.get(canonicalize_name(one.name), "none") not in one.specifier
    ]
    assert wrong == [], "run: make constraints"
