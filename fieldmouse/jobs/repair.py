"""Set damaged records of an archive aside, so that the rest of it can be used.

Nothing is deleted. The bytes of a damaged record stay where they are and are copied to `damaged/`; its visit
and its version say that they have no readable record, and the page is fetched whole at its next visit. A
damaged tag index is made again from the record. A repair that is killed goes on where it stopped.

Of content in a shared place the objects count. Copies in the folder that differ are fetched again; but if a
copy is whole and its object is not, or there is none, the object is written again from it.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from fieldmouse.errors import ArchiveDamaged, ImportFailed
from fieldmouse.files import packs, tag_file
from fieldmouse.files.append_only import bytes_at, replace
from fieldmouse.files.salvage import tag_spans, warc_spans
from fieldmouse.files.shared_content import KINDS, SharedContent, fetched, shared_content
from fieldmouse.files.warc_reader import Problem, read_at, records, whole_members
from fieldmouse.page.read import read
from fieldmouse.store import open_repair
from fieldmouse.store.records import WarcFile
from fieldmouse.store.repair_contract import RepairStore, VisitRecord
from fieldmouse.types import Place, TagIndex

FOLDER = "damaged"

# Tag indexes that are stored in one transaction.
BATCH = 500


@dataclass(slots=True)
class Repaired:
    """What a repair did."""

    records: list[str] = field(default_factory=list)  # records that were set aside, with the reason
    files: list[str] = field(default_factory=list)  # files whose end is lost
    tags: int = 0  # tag indexes that were made again
    restored: list[str] = field(default_factory=list)  # objects that were written again from whole copies
    copies: list[str] = field(default_factory=list)  # copies of objects that were dropped


def repair(folder: Path, now: float) -> Repaired:
    """Set every damaged record aside; nobody else may write to the archive meanwhile."""
    done = Repaired()
    with open_repair(folder, now=now) as store:
        content = shared_content(folder)
        if content is not None:
            _mend_copies(store, content, done)
        objects = content.objects(*KINDS) if content is not None else {}
        for kind, file in store.files():
            path = folder / kind / file.name
            there = path.stat().st_size if path.is_file() else 0
            if content is not None:
                if kind not in KINDS and not path.is_file():
                    continue  # a log of another machine
                there = max((one.size for _, one in objects.get(f"{kind}/{file.name}", ())), default=there)
            if there < file.size:
                store.shorten(file.id, there)
                done.files.append(f"{kind}/{file.name}: {there} of {file.size} bytes are left")
        for record in store.records():
            _check_record(store, folder, record, now, done)
        _check_between(store, folder, now, done)
        _check_tags(store, folder, done)
    return done


def _mend_copies(store: RepairStore, content: SharedContent, done: Repaired) -> None:
    """Compare copies in the folder with their objects. What counts is the object, unless it is damaged."""
    objects, folder = content.objects(*KINDS), content.folder
    with TemporaryDirectory(prefix=".repair-", dir=folder) as aside:
        for kind, file in store.files():
            path, key = folder / kind / file.name, f"{kind}/{file.name}"
            if kind not in KINDS or not path.is_file() or (key in objects and content.same(path)):
                continue
            fresh = Path(aside) / kind / file.name
            for place, _ in objects.get(key, ()):
                place.fetch(key, fresh)
                if _whole(kind, fresh, file.size):
                    break
            if _whole(kind, fresh, file.size):
                fresh.replace(path)
                done.copies.append(key)
            elif key not in objects or _whole(kind, path, file.size):
                content.rewrite(kind, file.name)
                done.restored.append(key)
            else:
                (folder / FOLDER).mkdir(exist_ok=True)
                path.replace(folder / FOLDER / file.name)
                done.files.append(f"{key}: object and copy are damaged; the copy is {FOLDER}/{file.name} now")


def _whole(kind: str, path: Path, size: int) -> bool:
    """Whether a file has its committed length, and every part of it can be read."""
    if not path.is_file() or path.stat().st_size != size:
        return False
    try:
        if kind == packs.FOLDER:
            for unit in packs.units(path):
                packs.visit_at(path.parent.parent / "warc", path.name, unit.offset)
            return True
        spans = warc_spans(path) if kind == "warc" else tag_spans(path)
        return all(span.data is not None for span in spans)
    except ArchiveDamaged:
        return False


def _check_record(store: RepairStore, folder: Path, record: VisitRecord, now: float, done: Repaired) -> None:
    """Read the record of a visit, and set it aside if it is damaged."""
    place, warc = record.place, folder / "warc"
    both = Place(place.file, place.offset, place.length + record.request)
    try:
        if record.kind == packs.FOLDER:
            packs.visit_at(warc, place.file, place.offset)
        else:
            whole_members(warc, both)
        return
    except ArchiveDamaged as error:
        reason = _short(error, folder)
    if record.kind != packs.FOLDER and record.request:
        try:
            whole_members(warc, place)
        except ArchiveDamaged as error:
            reason = _short(error, folder)
        else:
            rest = Place(place.file, place.offset + place.length, record.request)
            store.drop_request(record, reason, _copy(folder, record.kind, rest), now)
            done.records.append(f"the request for {record.url}: {reason}")
            return
    store.set_aside(record, reason, _copy(folder, record.kind, both), now)
    done.records.append(f"{record.url}: {reason}")


def _check_between(store: RepairStore, folder: Path, now: float, done: Repaired) -> None:
    """Damage that hits no record of a visit: in a WARC file, as far as the next readable record."""
    known = defaultdict(list)
    for _, place in store.damage():
        known[place.file].append(range(place.offset, place.offset + place.length))
    for kind, file in store.files():
        path = folder / kind / file.name
        if kind not in ("warc", packs.FOLDER) or not (path.is_file() or fetched(path)):
            continue
        if kind == packs.FOLDER:
            _check_pack(store, folder, file, {span.start for span in known[file.name]}, now)
            continue
        damage: list[Problem] = []
        starts = []
        try:
            starts = [record.offset for record in records(path, problem=damage.append)]
        except ImportFailed as error:
            damage.append(Problem(0, str(error)))
        for one in damage:
            if one.position >= file.size or any(one.position in span for span in known[file.name]):
                continue
            end = min((at for at in starts if at > one.position), default=file.size)
            place = Place(file.name, one.position, max(1, min(end, file.size) - one.position))
            store.note_damage(file.id, place, one.reason, _copy(folder, kind, place), now)
            done.records.append(
                f"warc/{file.name} at byte {one.position}, which no visit knows: {one.reason}"
            )


def _check_pack(store: RepairStore, folder: Path, file: WarcFile, known: set[int], now: float) -> None:
    """Mark broken frames of a pack that belong to no visit."""
    try:
        units = list(packs.units(folder / packs.FOLDER / file.name))
    except ArchiveDamaged:  # its visits are marked
        return
    for unit in units:
        try:
            packs.visit_at(folder / "warc", file.name, unit.offset)
        except ArchiveDamaged as error:
            if unit.offset not in known:
                store.note_damage(file.id, Place(file.name, unit.offset, 1), _short(error, folder), "", now)


def _check_tags(store: RepairStore, folder: Path, done: Repaired) -> None:
    """Make damaged tag indexes again."""
    made: list[tuple[int, TagIndex]] = []
    for version in store.tagged():
        try:
            tag_file.read(folder / "tags", version.tags)
        except ArchiveDamaged:
            response = read_at(folder / "warc", version.place).to_response()
            facts = read(response.content, content_type=response.header("content-type"))
            made.append((version.id, facts.index))
    for start in range(0, len(made), BATCH):
        store.put_tags(made[start : start + BATCH])
    done.tags = len(made)


def _copy(folder: Path, kind: str, place: Place) -> str:
    """Copy what is there of a place to the folder of damaged records; returns its name there."""
    if kind == packs.FOLDER:
        return ""  # the frame stays in its pack
    path = folder / kind / place.file
    try:
        length = max(0, min(place.length, path.stat().st_size - place.offset))
        data = bytes_at(folder / kind, Place(place.file, place.offset, length)) if length else b""
    except (OSError, ArchiveDamaged):
        return ""
    if not data:
        return ""
    target = folder / FOLDER / f"{place.file}@{place.offset}"
    target.parent.mkdir(exist_ok=True)
    replace(target, [data])
    return f"{FOLDER}/{target.name}"


def _short(error: ArchiveDamaged, folder: Path) -> str:
    """A reason with paths relative to the archive."""
    return str(error).replace(f"{folder}/", "")
