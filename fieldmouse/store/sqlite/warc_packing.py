"""Replacing WARC files by packs: the new file whole and on the disk, one transaction, then the old one goes.

Killed before the transaction, the archive still has its WARC file, and the pack is thrown away; killed after
it, the archive has the pack, and the WARC file is. Each pack is read back and compared before it counts.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.files import packs
from fieldmouse.files.append_only import replace, sync_folder

from .cdxj_indexes import FOLDER as INDEXES
from .database import Database

# Names of packs that do not count yet.
DRAFTS = (".new", ".part")


class WarcFile(NamedTuple):
    """A WARC file of the archive."""

    id: int
    name: str
    size: int


class Compacted(NamedTuple):
    """What became of one WARC file."""

    name: str
    before: int
    after: int


def clear(folder: Path, known: Mapping[str, int]) -> None:
    """Remove what a compaction that was killed left behind; for the holder of the archive's lock."""
    (folder / packs.FOLDER).mkdir(exist_ok=True)
    for path in (folder / packs.FOLDER).iterdir():
        if path.name.endswith(DRAFTS):
            path.unlink()
    for name in known:
        if (folder / packs.FOLDER / name).exists():
            (folder / "warc" / name.removesuffix(packs.ENDING)).unlink(missing_ok=True)


def files(db: Database) -> Iterator[WarcFile]:
    """Every WARC file; from now on none is appended to, so the next crawl begins a new one."""
    with db.transaction():
        db.run("close_warcs")
    for id_, name, kind, _, size, _ in list(db.rows("files")):
        if kind == "warc" and size:
            yield WarcFile(id_, name, size)


def hosts_in(db: Database, file: int) -> list[tuple[str, int]]:
    """The hosts whose content stands in a WARC file, and how much it is."""
    return list(db.rows("hosts_in_file", file=file))


def compact(db: Database, folder: Path, file: WarcFile, dictionaries: Mapping[str, bytes]) -> Compacted:
    """Replace a WARC file by a pack, unless that would be larger."""
    source = folder / "warc" / file.name
    target = folder / packs.FOLDER / (file.name + packs.ENDING)
    draft = target.with_name(target.name + DRAFTS[0])
    size = replace(draft, packs.pack(source, file.size, dictionaries))
    if size >= file.size:
        draft.unlink()
        return Compacted(file.name, file.size, file.size)
    _compare(source, file.size, draft)
    draft.rename(target)
    sync_folder(target.parent)
    with db.durable_transaction():
        db.run("pack_file", id=file.id, name=target.name, kind=packs.FOLDER, size=size)
    source.unlink()
    sync_folder(source.parent)
    (folder / INDEXES / f"{file.name.removesuffix('.warc.gz')}.cdxj").unlink(missing_ok=True)
    return Compacted(file.name, file.size, size)


def _compare(source: Path, size: int, target: Path) -> None:
    """Every record comes back byte for byte, or nothing is replaced."""
    restored = (
        record
        for unit in packs.units(target)
        for record in packs.visit_at(source.parent, target.name, unit.offset)
    )
    for offset, record in packs.members(source, size):
        if next(restored, None) != record:
            raise ArchiveDamaged(f"{target} does not give back the record at byte {offset} of {source}")
