"""The documentation names everything there is, and nothing that is not."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from fieldmouse import Page, errors
from fieldmouse.cli import cli
from fieldmouse.exits import Exit
from fieldmouse.settings import FIELDS, SECTIONS, Settings, variable, with_overrides
from scripts.make_reference import PAGES, exit_codes, renewed

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
TEXTS = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def by_name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(text: str, *languages: str) -> list[str]:
    """The fenced blocks of a page in one of these languages."""
    found = re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [body for language, body in found if language in languages]


# --- settings and exit codes -----------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_generated_pages_are_up_to_date(page: str) -> None:
    text = (REFERENCE / page).read_text("utf-8")
    assert text == renewed(text, PAGES[page]()), f"docs/reference/{page} is stale; run: make reference"


def test_every_setting_is_documented() -> None:
    text = (REFERENCE / "settings.md").read_text("utf-8")
    missing = [
        full for full in FIELDS if f"### `{full}`" not in text or variable(*full.split(".")) not in text
    ]
    assert missing == [], "run: make reference"


def test_every_exit_code_is_documented() -> None:
    text = (REFERENCE / "exit-codes.md").read_text("utf-8")
    rows = {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert rows == set(exit_codes()), "run: make reference"
    assert rows >= {0, 1, 3, 4, 5, 6, 7, 8, 11, 13, 14, 15, 16, 18, 126}


def test_no_code_means_an_error_and_a_good_end() -> None:
    ends = {one.value for one in Exit}
    assert [code for code, ways in exit_codes().items() if code in ends and len(ways) > 1] == []


def test_the_tree_drawn_in_errors_is_the_tree() -> None:
    drawn = dict(re.findall(r"[├└]── (\w+) +(\d+) ", errors.__doc__ or ""))
    kinds = {k: v for k, v in vars(errors).items() if isinstance(v, type) and k != "FieldmouseError"}
    assert drawn == {name: str(kind.exit_code) for name, kind in kinds.items()}


# --- commands --------------------------------------------------------------------------------------------


def commands(group: click.Group, path: str = "fieldmouse") -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, those of groups within groups too."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if command.hidden:
            continue
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")


def options(command: click.Command) -> set[str]:
    shown = (one for one in command.params if isinstance(one, click.Option) and not one.hidden)
    return {text for one in shown for text in (*one.opts, *one.secondary_opts)}


def part(text: str, title: str) -> str:
    """What stands under a heading that holds `title` in code marks, up to the next heading as high."""
    pattern = rf"^(#+) [^\n]*`{re.escape(title)}[` ][^\n]*\n(.*?)(?=^#{{1,2}} |\Z)"
    found = re.search(pattern, text, re.MULTILINE | re.DOTALL)
    return found[2] if found else ""


def test_every_command_and_option_is_documented() -> None:
    text = (REFERENCE / "cli.md").read_text("utf-8")
    missing = [f"fieldmouse {one}" for one in sorted(options(cli)) if f"`{one}" not in text]
    for name, command in commands(cli):
        section = part(text, name)
        missing += [name] if not section else []
        missing += [f"{name} {one}" for one in sorted(options(command)) if f"`{one}" not in section]
    assert missing == []


def test_every_command_has_help() -> None:
    assert [name for name, command in commands(cli) if not command.help] == []


def shell_lines() -> list[tuple[str, list[str]]]:
    """Each `fieldmouse ...` line of the shell blocks, in words."""
    lines = []
    for path in TEXTS:
        for block in blocks(path.read_text("utf-8"), "sh", "console", "bash", "shell"):
            for line in block.replace("\\\n", " ").splitlines():
                stripped = line.strip().removeprefix("$ ")
                if stripped.startswith("fieldmouse "):
                    lines.append((f"{by_name(path)}: {stripped}", shlex.split(stripped, comments=True)[1:]))
    return lines


def test_commands_shown_in_the_docs_exist() -> None:
    """Each shown command parses: its name, its options, the number of its arguments."""
    wrong = []
    for shown, words in shell_lines():
        try:
            _parse(cli, words)
        except click.UsageError as error:
            wrong.append(f"{shown}: {error.format_message()}")
    assert wrong == []


def _parse(group: click.Group, words: list[str]) -> None:
    """Parse as click would, without calling anything; types such as an existing file are not checked."""
    while True:
        parser = group.make_parser(click.Context(group, info_name="fieldmouse"))
        parser.allow_interspersed_args = False
        _, rest, _ = parser.parse_args(list(words))
        if not rest:
            return
        command = group.get_command(click.Context(group), rest[0])
        if command is None:
            raise click.UsageError(f"no command {rest[0]}")
        if not isinstance(command, click.Group):
            command.make_parser(click.Context(command)).parse_args(rest[1:])
            return
        group, words = command, rest[1:]


# --- pages -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["start", "how-to", "reference", "decisions"])
def test_the_docs_have_four_parts(folder: str) -> None:
    assert list((DOCS / folder).glob("*.md")), f"docs/{folder} is empty"


def links(path: Path) -> list[Path]:
    """Where a page's relative links lead."""
    found = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL))
    local = [one.partition("#")[0] for one in found if not re.match(r"[a-z]+:", one)]
    return [(path.parent / one).resolve() for one in local if one]


@pytest.mark.parametrize("path", TEXTS, ids=by_name)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    assert [str(one) for one in links(path) if not one.exists()] == []


def test_every_page_can_be_reached_from_the_index() -> None:
    """A link to a folder leads to all its pages."""
    seen: set[Path] = set()
    todo = [DOCS / "index.md"]
    while todo:
        page = todo.pop()
        if page not in seen and page.suffix == ".md":
            seen.add(page)
            todo += links(page)
        elif page.is_dir():
            todo += page.glob("*.md")
    assert [by_name(one) for one in DOCS.rglob("*.md") if one not in seen] == []


@pytest.mark.parametrize("path", TEXTS, ids=by_name)
def test_settings_shown_in_the_docs_are_accepted(path: Path) -> None:
    for block in blocks(path.read_text("utf-8"), "toml"):
        tables = tomllib.loads(block)
        if tables.keys() <= SECTIONS.keys():
            with_overrides(Settings(), dict(flattened(tables)))
        else:
            assert "fieldmouse.toml" not in block, sorted(tables.keys() - SECTIONS.keys())


def flattened(tables: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for section, table in tables.items():
        for name, value in table.items():
            yield f"{section}.{name}", value


@pytest.mark.parametrize("path", TEXTS, ids=by_name)
def test_variables_shown_in_the_docs_exist(path: Path) -> None:
    known = {variable(*full.split(".")) for full in FIELDS}
    prefixes = tuple(f"FIELDMOUSE_{section}_".upper() for section in SECTIONS)
    shown = set(re.findall(r"FIELDMOUSE_[A-Z0-9_]+", path.read_text("utf-8")))
    assert [one for one in sorted(shown - known) if one.startswith(prefixes)] == []


# --- code named in the docs ------------------------------------------------------------------------------

PACKAGE = ROOT / "fieldmouse"
ROOMS = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists())
GENERATED = {"settings.md", "exit-codes.md", "cli.md"}  # `crawl.contact` is a setting there, not a module


@pytest.mark.parametrize("path", TEXTS, ids=by_name)
def test_files_named_in_the_docs_exist(path: Path) -> None:
    """Paths such as `fieldmouse/web/robots.py` and `bench/labelled.py`."""
    named = re.findall(
        r"\b((?:fieldmouse|tests|bench|scripts)/[\w./-]*\w\.(?:py|c|json|sql))\b", path.read_text("utf-8")
    )
    assert [one for one in named if not (ROOT / one).exists()] == []


@pytest.mark.parametrize("path", [one for one in TEXTS if one.name not in GENERATED], ids=by_name)
def test_modules_named_in_the_docs_exist(path: Path) -> None:
    """`room.module` in code marks, with or without `fieldmouse.` and a name in it; settings look the same."""
    settings = set(FIELDS)
    wrong = []
    for room, name in re.findall(
        rf"`(?:fieldmouse\.)?({'|'.join(ROOMS)})\.(\w+)[^`\s]*`", path.read_text("utf-8")
    ):
        folder = PACKAGE / room
        exists = (folder / f"{name}.py").exists() or (folder / name).is_dir()
        if not exists and f"{room}.{name}" not in settings and not _is_attribute(room, name):
            wrong.append(f"{room}.{name}")
    assert wrong == []


def _is_attribute(room: str, name: str) -> bool:
    """Whether a name after `page.` is a column of the table or a member of the class."""
    return room == "page" and (name in COLUMNS or name in dir(Page))


COLUMNS = {
    word
    for file in (PACKAGE / "store").rglob("*.sql")
    for word in re.findall(r"\w+", file.read_text("utf-8"))
}


@pytest.mark.parametrize("path", TEXTS, ids=by_name)
def test_benchmarks_named_in_the_docs_exist(path: Path) -> None:
    named = re.findall(r"python -m ((?:bench|scripts)(?:\.\w+)?)", path.read_text("utf-8"))
    places = [ROOT / one.replace(".", "/") for one in named]
    assert [str(one) for one in places if not (one.is_dir() or one.with_suffix(".py").exists())] == []


def test_how_to_pages_show_commands() -> None:
    """Each how-to page has at least one command line, which the tests above parse."""
    shown = {line.partition(":")[0] for line, _ in shell_lines()} | {"docs/how-to/bench.md"}
    assert [by_name(one) for one in (DOCS / "how-to").glob("*.md") if by_name(one) not in shown] == []
