"""Erase pages on request: rows first, in one transaction, then their records in the files.

A record in a WARC file is overwritten in place; a pack is rewritten without it. What a crash leaves
is noted in `erased_record`, and the next call goes on.
"""

import uuid
from pathlib import Path

from fieldmouse.files import pack_writer, packs
from fieldmouse.files.append_only import overwrite, replace, sync_folder
from fieldmouse.files.shared_content import present, shared_content
from fieldmouse.files.warc_record import blank_record

from .database import Database
from .documents import drop_document

# What is stored of a page besides its content, by its id and by its URL.
OF_PAGE = (
    "erase_page_versions", "erase_page_visits", "erase_page_changes", "erase_page_judgements",
    "erase_page_labels", "erase_page_answers", "erase_page_classes", "erase_page_noise",
    "erase_page_predictions", "erase_page_audits", "erase_page_announcement", "erase_page_controls",
    "erase_page_seen",
)  # fmt: skip
GENERATION = ".erased"  # in the name of a pack that was rewritten, before a number
OF_URL = ("erase_url_submissions", "erase_url_redirects", "erase_url_mentions", "erase_url_home")


def forget_page(db: Database, folder: Path, url: str, now: float) -> int:
    """Erase every version of a page and what was learned of it; returns how many versions there were."""
    versions = db.retried(lambda: _erase_rows(db, url, now))
    overwrite_erased(db, folder)
    return versions


def _erase_rows(db: Database, url: str, now: float) -> int:
    with db.durable_transaction():
        row = db.one("forgettable_page", url=url)
        versions = row[3] if row else 0
        if row is not None:
            page, host, stored, _, visits, changes = row
            db.run("erase_page_records", page=page)
            drop_document(db, page)
            for name in OF_PAGE:
                db.run(name, page=page)
            for name in OF_URL:
                db.run(name, url=url)
            db.run("erase_fingerprint", page=page)
            db.run("erase_bands", page=page)
            db.run("empty_page", page=page)
            db.run("uncount_forgotten", host=host, stored=int(stored), visits=visits, changes=changes)
            gone = {"versions": -versions, "visits": -visits, "stored": -int(stored)}
            db.many("add_tally", list(gone.items()))
        db.run("drop_forgotten", url=url)
        db.run("add_forgotten", url=url, now=now, versions=versions)
    return int(versions)


def overwrite_erased(db: Database, folder: Path) -> None:
    """Overwrite the records of erased versions in their files."""
    packed: dict[tuple[int, str], list[int]] = {}
    content = shared_content(folder)
    for file, name, offset, length in list(db.rows("erased_records")):
        if packs.is_packed(name):
            packed.setdefault((file, name), []).append(offset)
            continue
        record_id = uuid.uuid5(uuid.NAMESPACE_URL, f"{name}/{offset}").urn
        path = folder / "warc" / name
        overwrite(present(path) if content else path, offset, blank_record(length, record_id))
        if content:
            content.rewrite("warc", name)
        with db.transaction():
            db.set_property(f"index of {name}", "")  # its CDXJ index is rewritten
            db.run("drop_erased_record", file=file, offset=offset)
    for (file, name), offsets in packed.items():
        _rewrite_pack(db, folder, file, name, offsets)


def _rewrite_pack(db: Database, folder: Path, file: int, name: str, offsets: list[int]) -> None:
    """Replace a pack by one of another name without some visits; the archive knows either of them."""
    packs_folder = folder / packs.FOLDER
    base, _, number = name.removesuffix(packs.ENDING).partition(GENERATION)
    newer = int(number or 0) + 1
    target = f"{base}{GENERATION}{newer}{packs.ENDING}"
    content = shared_content(folder)
    source = present(packs_folder / name) if content else packs_folder / name
    size = replace(packs_folder / target, pack_writer.without(source, frozenset(offsets)))
    if content:  # no row points to it yet; a crash may have left another one of this name
        content.rewrite(packs.FOLDER, target)
    with db.durable_transaction():
        db.run("pack_file", id=file, name=target, kind=packs.FOLDER, size=size)
        if content:  # `sweep` deletes it at once
            db.many("put_deletion", [(f"{packs.FOLDER}/{name}", 0.0)])
    # A crash may have left older ones, and the repair after it may have set them aside.
    for old in (f"{base}{packs.ENDING}", *(f"{base}{GENERATION}{n}{packs.ENDING}" for n in range(1, newer))):
        (packs_folder / old).unlink(missing_ok=True)
        (folder / "aside" / old).unlink(missing_ok=True)
    sync_folder(packs_folder)
    with db.transaction():
        for offset in offsets:
            db.run("drop_erased_record", file=file, offset=offset)
