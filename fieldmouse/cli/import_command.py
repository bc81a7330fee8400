"""The command `import`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError

from .common import json_option, open_archive, plain, print_json, read_seeds

if TYPE_CHECKING:
    from fieldmouse.library import Archive

WARC_ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")


@click.command("import")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@json_option
@click.pass_obj
def import_(obj: str, files: tuple[Path, ...], as_json: bool) -> None:
    """Import WARC files, or lists of URLs as seeds.

    WARC files can come from any tool, compressed with gzip or zstandard, or plain.
    """
    results = []
    with open_archive(obj) as archive:
        for file in files:
            text, problems, result = _imported(archive, file)
            results.append({"file": str(file), **result})
            if not as_json:
                click.echo(f"{file}: {text}")
                for problem in problems:
                    click.echo(f"{file}: {problem}", err=True)
    if as_json:
        print_json(results)


def _imported(archive: "Archive", file: Path) -> tuple[str, list[str], dict[str, Any]]:
    """Import one file; return a line about it, its problems, and the same for JSON."""
    if file.name.lower().endswith(WARC_ENDINGS):
        done = archive.import_warc(file)
        text = (
            f"{done.records} records, {done.pages} pages imported, {done.already} already present, "
            f"{done.skipped} other records (requests, metadata) skipped"
        )
        return text, done.problems, plain(done)
    if file.name.endswith(".pack"):
        raise UsageError(f"{file} is a pack, not a WARC file; `export all.warc.gz` on its archive makes one")
    new, bad = archive.import_urls(read_seeds(file))
    problems = [f"not an http or https URL, ignored: {one}" for one in bad]
    return f"{new} new URLs pending for the next crawl", problems, {"new": new, "bad": bad}
