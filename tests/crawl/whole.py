"""What must hold of an archive after any crash: nothing lost, nothing twice, all readable by others."""

import json
from collections import Counter
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from fieldmouse import library
from fieldmouse.files.append_only import replace
from fieldmouse.jobs.export import PUBLIC, cdxj_lines
from fieldmouse.page.tags import index, unpack


def visited(archive: library.Archive) -> Counter[str]:
    """How often each address was visited, as far as the database knows."""
    return Counter({record.url: record.visits for record in archive.reader.pages()})


def records(folder: Path) -> Counter[tuple[str, str]]:
    """Types and addresses of all records, read by warcio, which also checks every digest."""
    found: Counter[tuple[str, str]] = Counter()
    for path in sorted((folder / "warc").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise", verify_http=False):
                found[record.rec_type, record.rec_headers.get_header("WARC-Target-URI") or ""] += 1
                while record.content_stream().read(65536):
                    pass
    return found


def assert_index_leads_to_records(archive: library.Archive, folder: Path) -> int:
    """Every line of a CDXJ index is the place of the record it names; how many lines."""
    replace(folder / "index.cdxj", cdxj_lines(archive.reader, folder, PUBLIC))
    lines = (folder / "index.cdxj").read_bytes().splitlines()
    assert lines == sorted(lines)
    for line in lines:
        fields = json.loads(line.split(b" ", 2)[2])
        with (archive.folder / "warc" / fields["filename"]).open("rb") as file:
            file.seek(int(fields["offset"]))
            record = next(iter(ArchiveIterator(file)))
            assert record.rec_headers.get_header("WARC-Target-URI") == fields["url"]
            assert record.http_headers.get_statuscode() == fields["status"]
            assert record.rec_headers.get_header("WARC-Payload-Digest") == f"sha1:{fields['digest']}"
    return len(lines)


def assert_pages_can_be_read(archive: library.Archive) -> int:
    """Every version gives its bytes, and a tag index that is the one a new parse gives; how many."""
    count = 0
    for page in archive.pages():
        for version in page.versions():
            count += 1
            assert len(version.body) == version.version.size
            assert version.tags == unpack(index(version.body))
    return count
