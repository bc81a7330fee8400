"""Whether an archive is whole: everything that the database refers to is in the files.

Every record is read once. What a crash left beyond the committed lengths is not damage: the next run removes
it.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from fieldmouse.errors import ArchiveDamaged, ImportFailed
from fieldmouse.files import packs, tag_file
from fieldmouse.files.decompress import unpacked_bytes
from fieldmouse.files.shared_content import KINDS, present, shared_content
from fieldmouse.files.warc_reader import MIB, Problem, next_record, read_at, records
from fieldmouse.files.warc_record import payload_digest
from fieldmouse.store import open_reader
from fieldmouse.store.contract import StoreReader

# Types of the record that each visit has.
RESPONSES = ("response", "revisit")


@dataclass(slots=True)
class Checked:
    """The result of a check."""

    pages: int = 0
    versions: int = 0
    records: int = 0
    problems: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)  # of a crash; the next run removes them
    set_aside: int = 0  # damaged records that are known and were set aside
    erasing: int = 0  # records that the next command that writes will overwrite


def check(folder: Path) -> Checked:
    """Check an archive that nobody writes to."""
    done = Checked()
    with open_reader(folder) as reader:
        _files(reader, done)
        for part in (reader.check, lambda: _pages(reader, done), lambda: _records(reader, done)):
            try:
                part()
            except ArchiveDamaged as error:
                done.problems.append(str(error))
    return done


def _files(reader: StoreReader, done: Checked) -> None:
    """Each file is at least as long as was committed; what is longer, or unknown, is left from a crash."""
    known, content = reader.file_sizes(), shared_content(reader.folder)
    if content is not None:
        objects = content.objects(*KINDS)
        for kind in KINDS:
            for name, committed in sorted(known.get(kind, {}).items()):
                found_there = objects.get(f"{kind}/{name}", ())
                sizes = {one.size for _, one in found_there} or {0}
                if sizes != {committed}:
                    where = f"{(found_there[0][0] if found_there else content.home(name)).url}/{kind}/{name}"
                    done.problems.append(f"{where}: {min(sizes)} bytes found, {committed} committed")
                elif (copy := reader.folder / kind / name).is_file() and not content.same(copy):
                    done.problems.append(f"{kind}/{name}: the copy in this folder differs from its object")
    for kind in ("logs",) if content is not None else ("warc", packs.FOLDER, "tags", "logs"):
        there = {
            path.name: path.stat().st_size for path in (reader.folder / kind).glob("*") if path.is_file()
        }
        if content is not None:  # those of other machines are there
            known[kind] = {name: size for name, size in known.get(kind, {}).items() if name in there}
        for name in sorted(known.get(kind, {}).keys() | there.keys()):
            committed, found = known.get(kind, {}).get(name, 0), there.get(name, 0)
            if found < committed:
                done.problems.append(f"{kind}/{name}: {found} bytes found, {committed} committed")
            elif found > committed:
                done.leftovers.append(f"{kind}/{name}: {found - committed} bytes after the last commit")


def _pages(reader: StoreReader, done: Checked) -> None:
    """Each page has as many versions as were counted, and each version its record and tags."""
    for page in reader.pages():
        done.pages += 1
        versions = reader.versions(page)
        if len(versions) != page.versions:
            done.problems.append(f"{page.url}: {page.versions} versions counted, {len(versions)} found")
        for version in versions:
            done.versions += 1
            if version.damaged:
                continue
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
    """Each file of records can be read from end to end, and has one response for each visit."""
    responses: dict[str, set[int]] = defaultdict(set)
    for place in reader.records():
        responses[place.file].add(place.offset)
    sizes, folder = reader.file_sizes(), reader.folder / "warc"
    known: dict[str, list[range]] = defaultdict(list)
    for _, place in reader.damage():
        done.set_aside += 1
        known[place.file].append(range(place.offset, place.offset + place.length))
    erased: dict[str, set[int]] = defaultdict(set)
    for place in reader.erasing():
        done.erasing += 1
        erased[place.file].add(place.offset)
        known[place.file].append(range(place.offset, place.offset + place.length))
    for name, committed in sorted(sizes.get("warc", {}).items()):
        if not committed and not responses[name]:
            continue  # it is lost, and known to be
        found: set[int] = set()
        damage: list[Problem] = []
        try:
            for record in records(present(folder / name), problem=damage.append):
                if record.offset >= committed:
                    break
                done.records += 1
                if record.type in RESPONSES:
                    found.add(record.offset)
        except (ImportFailed, ArchiveDamaged) as error:
            done.problems.append(str(error))
        inside = [
            one
            for one in damage
            if one.position < committed and not any(one.position in span for span in known[name])
        ]
        done.problems += [f"warc/{name}: byte {one.position}: {one.reason}" for one in inside]
        for offset in sorted((found ^ responses[name]) - erased[name]):
            whose = "no visit knows" if offset in found else "a visit misses"
            done.problems.append(f"warc/{name}: {whose} the record at byte {offset}")
    for name in sorted(sizes.get(packs.FOLDER, {})):
        _pack(reader.folder, name, done, responses[name], {span.start for span in known[name]})


def _pack(folder: Path, name: str, done: Checked, responses: set[int], known: set[int]) -> None:
    """The same for a pack, by places in its WARC file; damage that is `known` is passed over."""
    found, damaged = set(), []
    try:
        for unit in packs.units(folder / packs.FOLDER / name):
            try:
                restored = packs.visit_at(folder / "warc", name, unit.offset)
            except ArchiveDamaged as error:
                damaged += [str(error)] if unit.offset not in known else []
                continue
            done.records += len(restored)
            first = next_record(unpacked_bytes(restored[0]), MIB)
            if first is not None and first.type in RESPONSES:
                found.add(unit.offset)
    except ArchiveDamaged as error:  # its index
        damaged += [str(error)] if responses or not known else []
    done.problems += damaged
    done.problems += [
        f"{packs.FOLDER}/{name}: a visit misses byte {one}" for one in sorted(responses - found)
    ]
