"""Compact an archive: pack its WARC files against what the pages of each host have in common."""

import time
from collections.abc import Iterator
from contextlib import closing

from fieldmouse.settings import Settings
from fieldmouse.store.contract import Store
from fieldmouse.store.records import Compacted
from fieldmouse.templates.page_packing import Dictionary

from .clean import Cleaner

# A dictionary is used if the content of its host is at least so many times as large.
LEAST_RATIO = 4

# Bytes of dictionaries that are held at once; the hosts with the most content come first.
MAX_DICTIONARIES = 512 * 1024 * 1024


def compact(store: Store, settings: Settings) -> Iterator[Compacted]:
    """Clean all hosts, then pack every WARC file; one result a file."""
    with closing(Cleaner(store.folder, settings, time.time)) as cleaner:
        for _ in cleaner.all(unfinished=True):
            pass
    with store.reader() as reader:
        for file in store.warc_files():
            dictionaries: dict[str, bytes] = {}
            room = MAX_DICTIONARIES
            for host, size in sorted(store.hosts_in_file(file), key=lambda one: -one.size):
                newest = reader.templates.figures(host)[-1:]
                if not newest or size < LEAST_RATIO * newest[0].dictionary_bytes:
                    continue
                data = reader.templates.dictionary(newest[0].dictionary)
                raw = Dictionary.from_bytes(data).data if data else b""
                if raw and len(raw) <= room:
                    dictionaries[host] = raw
                    room -= len(raw)
            yield store.compact(file, dictionaries)
