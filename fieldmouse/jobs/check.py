"""Whether an archive is whole: everything the database promises is in the files, and nothing else counts.

Reads every record once, so it takes as long as reading the archive takes. What a crash left beyond the
committed lengths is no damage: the next run cuts it off.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fieldmouse.errors import ArchiveDamaged, ImportFailed
from fieldmouse.files import packs, tag_file
from fieldmouse.files.byte_source import unpacked_bytes
from fieldmouse.files.warc_parser import MIB, next_record
from fieldmouse.files.warc_reader import Problem, read_at, records
from fieldmouse.files.warc_record import payload_digest
from fieldmouse.store import open_reader
from fieldmouse.store.contract import StoreReader
from fieldmouse.types import Version


@dataclass(slots=True)
class Checked:
    """What a check looked at, and what it found wrong."""

    pages: int = 0
    versions: int = 0
    records: int = 0
    problems: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)  # of a crash; the next run clears them away


def check(folder: Path, tell: Callable[[Checked], None] = lambda _: None) -> Checked:
    """Check an archive that nobody writes to."""
    done = Checked()
    with open_reader(folder) as reader:
        _files(reader, done)
        for part in (reader.check, lambda: _pages(reader, done, tell), lambda: _records(reader, done)):
            try:
                part()
            except ArchiveDamaged as error:
                done.problems.append(str(error))
    return done


def _pages(reader: StoreReader, done: Checked, tell: Callable[[Checked], None]) -> None:
    for page in reader.pages():
        done.pages += 1
        versions = reader.versions(page)
        if len(versions) != page.versions:
            done.problems.append(f"{page.url}: {page.versions} versions counted, {len(versions)} found")
        for version in versions:
            _version(reader, version, done)
        if done.pages % 200 == 0:
            tell(done)


def _files(reader: StoreReader, done: Checked) -> None:
    """Each file is at least as long as was committed; what is longer, or unknown, is left from a crash."""
    known = reader.file_sizes()
    for kind in ("warc", packs.FOLDER, "tags", "logs"):
        there = {
            path.name: path.stat().st_size for path in (reader.folder / kind).glob("*") if path.is_file()
        }
        for name in sorted(known.get(kind, {}).keys() | there.keys()):
            committed, found = known.get(kind, {}).get(name, 0), there.get(name, 0)
            if found < committed:
                done.problems.append(f"{kind}/{name}: {found} bytes found, {committed} committed")
            elif found > committed:
                done.leftovers.append(f"{kind}/{name}: {found - committed} bytes after the last commit")


def _version(reader: StoreReader, version: Version, done: Checked) -> None:
    done.versions += 1
    try:
        record = read_at(reader.folder / "warc", version.place)
        if record.url != version.url:
            done.problems.append(f"{version.url}: its record is of {record.url}")
        if payload_digest(record.body) != version.digest:
            done.problems.append(f"{version.url}: the digest of its record differs")
        if version.tags is not None:
            tag_file.read(reader.folder / "tags", version.tags)
    except ArchiveDamaged as error:
        done.problems.append(f"{version.url}: {error}")


def _records(reader: StoreReader, done: Checked) -> None:
    """Each WARC file can be read from end to end, and holds one answer for each visit that left one."""
    answers: dict[str, set[int]] = {}
    for place in reader.records():
        answers.setdefault(place.file, set()).add(place.offset)
    for name, committed in sorted(reader.file_sizes().get("warc", {}).items()):
        found = _answers(reader.folder / "warc" / name, committed, done)
        for offset in sorted(found ^ answers.get(name, set())):
            whose = "no visit knows" if offset in found else "a visit misses"
            done.problems.append(f"warc/{name}: {whose} the record at byte {offset}")
    for name in sorted(reader.file_sizes().get(packs.FOLDER, {})):
        _packed(reader.folder, name, answers.get(name, set()), done)


def _packed(folder: Path, name: str, answers: set[int], done: Checked) -> None:
    """Each record of a pack can be restored, and there is one for each visit that left one."""
    found: set[int] = set()
    for unit in packs.units(folder / packs.FOLDER / name):
        try:
            restored = packs.visit_at(folder / "warc", name, unit.offset)
        except ArchiveDamaged as error:
            done.problems.append(str(error))
            continue
        done.records += len(restored)
        first = next_record(unpacked_bytes(restored[0]), MIB)
        if first is not None and first.type in ("response", "revisit"):
            found.add(unit.offset)
    done.problems += [f"{packs.FOLDER}/{name}: a visit misses byte {one}" for one in sorted(answers - found)]


def _answers(path: Path, committed: int, done: Checked) -> set[int]:
    """Where the answers stand in the committed part of a WARC file."""
    found: set[int] = set()
    damage: list[Problem] = []
    try:
        for record in records(path, problem=damage.append):
            if record.offset >= committed:
                break
            done.records += 1
            if record.type in ("response", "revisit"):
                found.add(record.offset)
    except ImportFailed as error:
        done.problems.append(str(error))
    inside = [one for one in damage if one.position < committed]
    done.problems += [f"warc/{path.name}: byte {one.position}: {one.reason}" for one in inside]
    return found
