"""Writes the tables of docs/reference from the code, so that they cannot drift apart.

A page holds a pair of marks; what stands between them is replaced, the rest is written by hand.
"""

import sys
from collections.abc import Iterator
from dataclasses import Field, fields
from inspect import cleandoc
from math import inf
from pathlib import Path
from typing import Any, get_type_hints

import click

from fieldmouse import errors
from fieldmouse.cli import cli
from fieldmouse.exits import Exit
from fieldmouse.server.api import ENDPOINTS
from fieldmouse.server.openapi import document
from fieldmouse.setting_values import to_toml
from fieldmouse.settings import SECTIONS, variable
from fieldmouse.store import schema

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
BEGIN = "<!-- from here on made by `make reference` -->"
END = "<!-- until here -->"


def settings_table() -> str:
    """Every setting by section: default, environment variable, meaning, limits."""
    blocks = []
    for section, kind in SECTIONS.items():
        blocks.append(f"## [{section}]\n\n{(kind.__doc__ or '').strip()}\n")
        hints = get_type_hints(kind)
        blocks += [_setting(section, one, hints[one.name]) for one in fields(kind)]
    return "\n".join(blocks)


def _setting(section: str, one: Field[Any], kind: Any) -> str:
    default = to_toml(one.default)
    return (
        f"### `{section}.{one.name}`\n\n{one.metadata['help']}\n\n"
        f"- default: `{default}`{_limits(one)}\n"
        f"- environment: `{variable(section, one.name)}`{_example(kind)}\n"
    )


def _limits(one: Field[Any]) -> str:
    low, high = one.metadata["low"], one.metadata["high"]
    said = [f"at least {low}"] if low != -inf else []
    said += [f"at most {high}"] if high != inf else []
    said += [f"one of {', '.join(one.metadata['choices'])}"] if one.metadata["choices"] else []
    return f"; {', '.join(said)}" if said else ""


def _example(kind: Any) -> str:
    return {bool: " (`true` or `false`)", str: "", int: "", float: ""}.get(kind, " (separated by commas)")


def exit_codes() -> dict[int, list[tuple[str, str]]]:
    """Every exit code with the names that lead to it and what they mean."""
    found = [(one.value, f"`Exit.{one.name}`", one.__doc__ or "") for one in Exit]
    found += [
        (kind.exit_code, f"`{kind.__name__}`", (kind.__doc__ or "").strip())
        for kind in _tree(errors.FieldmouseError)
    ]
    codes: dict[int, list[tuple[str, str]]] = {}
    for code, name, meaning in sorted(found, key=lambda one: one[0]):
        codes.setdefault(code, []).append((name, meaning))
    return codes


def _tree(kind: type[errors.FieldmouseError]) -> Iterator[type[errors.FieldmouseError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _tree(child)


def exits_table() -> str:
    """One row for each way to end."""
    rows = ["| code | name in Python | when |", "|---:|---|---|"]
    for code, ways in exit_codes().items():
        rows += [f"| {code} | {name} | {meaning} |" for name, meaning in ways]
    return "\n".join(rows) + "\n" if len(rows) > 2 else ""


def commands_table() -> str:
    """Every command with its arguments, what it does, and its options."""
    return "\n".join(
        [_options(cli), *_commands(cli, click.Context(cli, info_name="fieldmouse"), "fieldmouse")]
    )


def _commands(group: click.Group, context: click.Context, path: str) -> Iterator[str]:
    for name in group.list_commands(context) if group is cli else group.commands:
        command = group.get_command(context, name)
        assert command is not None
        usage = " ".join(command.collect_usage_pieces(click.Context(command, parent=context)))
        text = cleandoc((command.help or "").replace("\b\n", "").strip())
        yield f"## `{path} {name} {usage.strip()}`\n\n{text}\n\n{_options(command)}"
        if isinstance(command, click.Group):
            yield from _commands(command, context, f"{path} {name}")


def _options(command: click.Command) -> str:
    rows = ["| option | meaning |", "|---|---|"]
    for one in (each for each in command.params if not getattr(each, "hidden", False)):
        if isinstance(one, click.Option):
            names = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
            value = f" {one.metavar}" if one.metavar else "" if one.is_flag else f" {one.type.name.upper()}"
            rows.append(f"| {names}{value} | {(one.help or '').strip()} |")
    return "\n".join(rows) + "\n" if len(rows) > 2 else ""


def views_table() -> str:
    """Every view of `query` with its columns."""
    blocks = []
    for view in schema():
        blocks += [f"## `{view.name}`\n\n{view.meaning}\n", "| column | type | meaning |\n|---|---|---|"]
        blocks += [f"| `{one.name}` | {one.type} | {one.meaning} |" for one in view.columns]
        blocks.append("")
    return "\n".join(blocks)


def endpoints_table() -> str:
    """Every endpoint of the API with its parameters, fields and answers, from the OpenAPI document."""
    blocks = []
    for path, methods in document(ENDPOINTS)["paths"].items():
        for method, one in methods.items():
            blocks.append(
                f"## `{method.upper()} {path}`\n\n{one['summary']} {one.get('description', '')}".rstrip()
            )
            rows = [(f"`{p['name']}` ({p['in']})", p["schema"] | p) for p in one["parameters"]]
            for media, body in one.get("requestBody", {}).get("content", {}).items():
                schema, needed = body["schema"], body["schema"]["required"]
                fields = schema["properties"].items()
                rows += [(f"`{name}` ({media})", {**f, "required": name in needed}) for name, f in fields]
            if rows:
                blocks.append("| parameter or field | meaning |\n|---|---|\n" + "\n".join(map(_field, rows)))
            answers = [f"| {code} | {answer['description']} |" for code, answer in one["responses"].items()]
            blocks.append("| answer | when |\n|---|---|\n" + "\n".join(answers))
            for code in ("200", "202"):
                shape = one["responses"].get(code, {}).get("content", {}).get("application/json")
                if shape and "properties" in shape["schema"]:
                    names = ", ".join(f"`{name}`" for name in shape["schema"]["properties"])
                    blocks.append(f"Fields of the answer {code}: {names}.")
    return "\n\n".join(blocks) + "\n"


def _field(row: tuple[str, dict[str, Any]]) -> str:
    name, schema = row
    said = [schema.get("description", "")]
    if schema["type"] == "array" and "properties" in schema["items"]:
        said.append(
            f"Entries have the fields {', '.join(f'`{one}`' for one in schema['items']['properties'])}."
        )
    said += [f"At most {schema['maxLength']} characters."] if "maxLength" in schema else []
    said += [f"At most {schema['maxItems']}."] if "maxItems" in schema else []
    said += ["Required."] if schema.get("required") else []
    return f"| {name} | {' '.join(filter(None, said))} |"


PAGES = {
    "settings.md": settings_table,
    "exit-codes.md": exits_table,
    "cli.md": commands_table,
    "sql.md": views_table,
    "api.md": endpoints_table,
}


def renewed(text: str, block: str) -> str:
    """The page with a new block between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{block}\n{END}{after}"


def main() -> None:
    """Write every page and name it."""
    for name, block in PAGES.items():
        page = REFERENCE / name
        page.write_text(renewed(page.read_text("utf-8"), block()), "utf-8")
        sys.stdout.write(f"{page}\n")


if __name__ == "__main__":
    main()
