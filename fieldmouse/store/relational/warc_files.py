"""WARC files of the archive: a CDXJ index for each, and their replacement by packs.

The indexes let a player such as pywb read the folder. They are made from the database when a run ends, each
only if its WARC file has grown; they can be deleted at any time.

A pack replaces a WARC file in this order: the new file is whole and on the disk, one transaction, then the
old file is deleted. Killed before the transaction, the archive still has its WARC file, and the pack is
deleted at the next start; killed after it, the archive has the pack, and the WARC file is. Each pack is
read back and compared before it counts.
"""

import json
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.files import cdxj, pack_writer, packs
from fieldmouse.files.append_only import replace, sync_folder
from fieldmouse.files.shared_content import present, shared_content
from fieldmouse.store.records import Compacted, WarcFile
from fieldmouse.types import Place
from fieldmouse.units import HOUR

from .database import Database

INDEXES = "cdxj"

# The writer of pages that readers sent, in the names of its files.
READERS = "readers"

# Seconds until an object that was replaced is deleted.
DELETION_GRACE = HOUR

# Names of packs that do not count yet.
DRAFTS = (".new", ".part")


def clear(folder: Path, known: Mapping[str, int]) -> None:
    """Remove what a compaction that was killed left behind; for the holder of the archive's lock."""
    (folder / packs.FOLDER).mkdir(exist_ok=True)
    for path in (folder / packs.FOLDER).iterdir():
        if path.name.endswith(DRAFTS):
            path.unlink()
    for name in known:
        if (folder / packs.FOLDER / name).exists():
            (folder / "warc" / name.removesuffix(packs.ENDING)).unlink(missing_ok=True)


def files(db: Database, alive: Collection[str] = ()) -> Iterator[WarcFile]:
    """Every WARC file that can be packed; from now on none is appended to: the next crawl begins a new one.

    A damaged one is not packed; nor what readers sent, so that it can be overwritten where it stands; nor
    what workers that are `alive` append to.
    """
    with db.transaction():
        db.run("close_warcs", alive=json.dumps(sorted(alive)))
    for id_, name, kind, worker, size, open_ in list(db.rows("files")):
        packable = kind == "warc" and size and worker != READERS and not open_
        if packable and db.one("is_damaged_file", file=id_) is None:
            yield WarcFile(id_, name, size)


def compact(db: Database, folder: Path, file: WarcFile, dictionaries: Mapping[str, bytes]) -> Compacted:
    """Replace a WARC file by a pack, unless that would be larger."""
    content = shared_content(folder)
    source = present(folder / "warc" / file.name) if content else folder / "warc" / file.name
    target = folder / packs.FOLDER / (file.name + packs.ENDING)
    draft = target.with_name(target.name + DRAFTS[0])
    size = replace(draft, pack_writer.pack(source, file.size, dictionaries))
    if size >= file.size:
        draft.unlink()
        return Compacted(file.name, file.size, file.size)
    _compare(source, file.size, draft)
    draft.rename(target)
    sync_folder(target.parent)
    if content:
        content.upload(packs.FOLDER, target.name)
    with db.durable_transaction():
        db.run("pack_file", id=file.id, name=target.name, kind=packs.FOLDER, size=size)
        if content:  # readers that know the old place may be under way
            db.many("put_deletion", [(f"warc/{file.name}", db.clock(time.time()) + DELETION_GRACE)])
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
    for offset, record in pack_writer.members(source, size):
        if next(restored, None) != record:
            raise ArchiveDamaged(f"{target} does not give back the record at byte {offset} of {source}")


def capture(row: Sequence[Any]) -> cdxj.Capture:
    """A capture from a row: URL, time, status, MIME type, digest, whether it is a revisit, and its place."""
    url, time, status, mime, digest, revisit, *place = row
    return cdxj.Capture(
        url=url,
        time=time,
        status=status,
        mime=mime,
        digest=digest,
        place=Place(*place),
        revisit=bool(revisit),
    )


def write_indexes(db: Database, folder: Path) -> None:
    """Write the indexes of WARC files that have none or have grown."""
    (folder / INDEXES).mkdir(exist_ok=True)
    for id_, name, kind, _, size, _ in list(db.rows("files")):
        target = folder / INDEXES / f"{name.removesuffix('.warc.gz')}.cdxj"
        if kind != "warc" or (db.get_property(f"index of {name}") == str(size) and target.exists()):
            continue
        replace(target, cdxj.ordered(map(capture, db.rows("captures_in_file", file=id_)), target.parent))
        with db.transaction():
            db.set_property(f"index of {name}", str(size))
