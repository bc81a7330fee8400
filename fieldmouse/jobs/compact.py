"""Keeping an archive compact: its WARC files packed against what the pages of each host have in common."""

import time
from collections.abc import Iterator, Mapping

from fieldmouse.settings import Settings
from fieldmouse.store.cleaning_contract import TemplateReader
from fieldmouse.store.contract import Store
from fieldmouse.store.records import Compacted, HostBytes
from fieldmouse.templates.page_packing import Dictionary

from .clean import Cleaner

# A dictionary is worth its place when the content is at least so many times as large as the dictionary.
WORTH = 4

# Bytes of dictionaries that are held at once; the hosts with the most content come first.
MAX_DICTIONARIES = 512 * 1024 * 1024


def compact(store: Store, settings: Settings) -> Iterator[Compacted]:
    """Pack every WARC file of an archive whose lock the caller holds; templates are made first."""
    cleaner = Cleaner(store.folder, settings, time.time)
    try:
        for _ in cleaner.all(unfinished=True):
            pass
    finally:
        cleaner.close()
    with store.reader() as reader:
        for file in store.warc_files():
            known = dictionaries(reader.templates, store.hosts_in_file(file))
            yield store.compact(file, known)


def dictionaries(reader: TemplateReader, hosts: list[HostBytes]) -> Mapping[str, bytes]:
    """What the pages of each host are packed against, for hosts with enough of them."""
    found: dict[str, bytes] = {}
    room = MAX_DICTIONARIES
    for host, size in sorted(hosts, key=lambda one: -one.size):
        newest = reader.figures(host)[-1:]
        if not newest or size < WORTH * newest[0].dictionary_bytes:
            continue
        data = reader.dictionary(newest[0].dictionary)
        raw = Dictionary.from_bytes(data).data if data else b""
        if raw and len(raw) <= room:
            found[host] = raw
            room -= len(raw)
    return found
