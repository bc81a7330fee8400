import io
import warnings
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from fieldmouse.errors import ArchiveDamaged, ArchiveError
from fieldmouse.files.append_only import bytes_at
from fieldmouse.files.warc_reader import read_at, records
from fieldmouse.files.warc_writer import Revisit, WarcInfo, WarcWriter, payload_digest
from tests.store.answers import BEGAN, REQUEST, answer, counted_ids, writer

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its own modules warn about each other
    from fastwarc.warc import ArchiveIterator as FastIterator


def put(warc, one, **more):
    return warc.write(one, digest=payload_digest(one.body), **more)


def done(warc):
    lengths = warc.sync()
    warc.commit()
    return lengths


def test_a_file_has_warcinfo_response_and_request(tmp_path):
    with writer(tmp_path) as warc:
        written = put(warc, answer())
        ((name, size),) = done(warc)
    assert name == "test-20251115225509-w0-00000.warc.gz"
    end = written.place.offset + written.place.length
    assert size == (tmp_path / name).stat().st_size == end + written.request
    info, response, request = records(tmp_path / name)
    assert [one.type for one in (info, response, request)] == ["warcinfo", "response", "request"]
    assert (response.offset, request.offset) == (written.place.offset, end)
    assert written.record_id == "urn:uuid:00000000-0000-4000-8000-000000000002"
    assert response.header("warc-record-id") == f"<{written.record_id}>"
    assert request.header("warc-concurrent-to") == f"<{written.record_id}>"
    assert response.header("warc-warcinfo-id") == info.header("warc-record-id")
    assert request.head == REQUEST


def test_the_same_answers_make_the_same_bytes(tmp_path):
    files = []
    for name in "ab":
        (tmp_path / name).mkdir()
        with writer(tmp_path / name) as warc:
            put(warc, answer())
            put(warc, answer(), revisit_of=Revisit("https://example.org/", BEGAN))
            ((file, _),) = done(warc)
        files.append((tmp_path / name / file).read_bytes())
    assert files[0] == files[1]


def test_files_roll_by_size_and_each_has_its_warcinfo(tmp_path):
    with writer(tmp_path, size=2000) as warc:
        places = [put(warc, answer(b"%d" % n)).place for n in range(10)]
        lengths = done(warc)
    assert len(lengths) > 2
    assert [name for name, _ in lengths] == sorted(path.name for path in tmp_path.iterdir())
    for name, size in lengths:
        assert (tmp_path / name).stat().st_size == size
        first, *_ = records(tmp_path / name)
        assert (first.type, first.header("warc-filename")) == ("warcinfo", name)
    assert [read_at(tmp_path, place).body for place in places] == [b"%d" % n for n in range(10)]


def test_a_roll_is_undone_with_its_batch(tmp_path):
    with writer(tmp_path, size=2000) as warc:
        put(warc, answer())
        ((name, size),) = done(warc)
        for _ in range(10):
            put(warc, answer())
        assert len(warc.sync()) > 2  # on the disk, but the transaction fails
        warc.rollback()
        assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == [(name, size)]
        place = put(warc, answer(b"after")).place
        done(warc)
    assert (place.file, place.offset) == (name, size)
    assert read_at(tmp_path, place).body == b"after"


def test_a_file_begun_in_a_failed_batch_is_removed(tmp_path):
    with writer(tmp_path) as warc:
        put(warc, answer())
        warc.rollback()
        assert list(tmp_path.iterdir()) == []
        put(warc, answer())
        done(warc)
    assert [path.name for path in tmp_path.iterdir()] == ["test-20251115225509-w0-00001.warc.gz"]


def test_a_new_run_goes_on_in_the_last_file(tmp_path):
    with writer(tmp_path) as warc:
        put(warc, answer())
        ((name, size),) = done(warc)
        put(warc, answer(b"torn"))
        warc.sync()
    with writer(tmp_path, size=size + 1) as warc:
        assert warc.open(name, size) > 0
        place = put(warc, answer(b"second")).place
        assert (place.file, place.offset) == (name, size)
        assert put(warc, answer()).place.file == "test-20251115225509-w0-00001.warc.gz"
        done(warc)
    types = [one.type for one in records(tmp_path / name)]
    assert types == ["warcinfo", "response", "request", "response", "request"]


def test_names_are_never_used_twice(tmp_path):
    for _ in range(3):
        with writer(tmp_path) as warc:
            warc.open(None)
            put(warc, answer())
            done(warc)
    assert len(list(tmp_path.iterdir())) == 3


def test_a_file_may_have_a_name_of_its_own(tmp_path):
    with writer(tmp_path) as warc:
        warc.open("export.warc.gz")
        put(warc, answer())
        assert [name for name, _ in done(warc)] == ["export.warc.gz"]
    assert next(records(tmp_path / "export.warc.gz")).header("warc-filename") == "export.warc.gz"


def test_nothing_to_sync_is_nothing_to_commit(tmp_path):
    with writer(tmp_path) as warc:
        assert done(warc) == []
        put(warc, answer())
        assert len(done(warc)) == 1
        assert done(warc) == []


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "a b"])
def test_a_name_cannot_leave_the_folder(tmp_path, name):
    with pytest.raises(ArchiveError, match="cannot begin a file name"):
        WarcWriter(tmp_path, prefix=name, worker="w", size=1, info=WarcInfo(software="x"), ids=counted_ids())


def test_a_cut_record_is_damage(tmp_path):
    with writer(tmp_path) as warc:
        place = put(warc, answer(b"x" * 1000)).place
        done(warc)
    path = tmp_path / place.file
    whole = path.read_bytes()
    path.write_bytes(whole[: place.offset + 20])
    with pytest.raises(ArchiveDamaged, match="ends before byte"):
        read_at(tmp_path, place)
    for spot in (place.offset, place.offset + place.length // 2, place.offset + place.length - 5):
        changed = bytearray(whole)
        changed[spot] ^= 0xFF
        path.write_bytes(changed)
        with pytest.raises(ArchiveDamaged, match=f"at byte {place.offset}"):
            read_at(tmp_path, place)


def test_a_member_can_be_copied_as_it_is(tmp_path):
    with writer(tmp_path) as warc:
        place = put(warc, answer(b"copy me")).place
        done(warc)
    (tmp_path / "copy.warc.gz").write_bytes(bytes_at(tmp_path, place))
    (one,) = records(tmp_path / "copy.warc.gz")
    assert one.body == b"copy me"


# A header line as servers send them: any byte but line ends, and not one that talks about the framing.
NAMES = st.from_regex(rb"X-[A-Za-z0-9-]{1,12}", fullmatch=True)
VALUES = st.binary(max_size=40).map(lambda raw: raw.translate(None, b"\r\n").strip())
FRAMING = st.sampled_from([b"", b"Transfer-Encoding: chunked\r\n", b"Content-Length: 7\r\n"])
CODINGS = st.sampled_from(["", "gzip"])
BODIES = st.one_of(st.binary(max_size=3000), st.binary(min_size=1, max_size=60).map(lambda raw: raw * 2000))


@st.composite
def answers(draw):
    lines = draw(st.lists(st.tuples(NAMES, VALUES), max_size=5))
    framing, coding, body = draw(FRAMING), draw(CODINGS), draw(BODIES)
    if coding:
        body = zlib.compress(body, wbits=31)
        lines.append((b"Content-Encoding", coding.encode()))
    if framing.startswith(b"Content-Length"):
        framing = b"Content-Length: %d\r\n" % draw(st.sampled_from([len(body), len(body) + 1]))
    head = b"HTTP/1.1 200 OK\r\n" + framing + b"".join(b"%b: %b\r\n" % pair for pair in lines) + b"\r\n"
    headers = tuple((name.decode().lower(), value.decode("latin-1")) for name, value in lines)
    began = draw(st.integers(0, 4_000_000_000)) + draw(st.integers(0, 999_999)) / 1_000_000
    url = "https://example.org/" + draw(st.text(st.characters(categories=["L", "N"]), max_size=20))
    return answer(body, head=head, headers=headers, began=began, url=url)


def without_framing(head: bytes) -> list[bytes]:
    lines = [one.replace(b"X-Crawler-", b"") for one in head.split(b"\r\n")]
    return [one for one in lines if not one.startswith((b"Content-Length", b"Transfer-Encoding"))]


@settings(max_examples=120, deadline=None, derandomize=True)
@given(sent=st.lists(answers(), min_size=1, max_size=4))
def test_what_is_written_is_read_back(tmp_path_factory, sent):
    folder = tmp_path_factory.mktemp("warc")
    with writer(folder) as warc:
        places = [put(warc, one).place for one in sent]
        ((name, _),) = done(warc)
    by_place = [read_at(folder, place) for place in places]
    assert by_place == [one for one in records(folder / name) if one.type == "response"]
    for one, record in zip(sent, by_place, strict=True):
        back = record.to_response(request=one.request)
        assert (back.url, back.status, back.body) == (one.url, 200, one.body)
        assert back.content == (zlib.decompress(one.body, 31) if one.header("content-encoding") else one.body)
        assert without_framing(back.head) == without_framing(one.head)
        assert back.address == one.address
        assert back.began == pytest.approx(one.began, abs=1e-6)
        assert record.header("warc-payload-digest") == payload_digest(one.body)
        if b"Content-Length: " in one.head or b"chunked" in one.head:
            assert back.header("content-length") == str(len(one.body))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(sent=st.lists(answers(), min_size=1, max_size=3))
def test_others_read_what_we_write(tmp_path_factory, sent):
    folder = tmp_path_factory.mktemp("warc")
    with writer(folder) as warc:
        for one in sent:
            put(warc, one)
        put(warc, sent[0], revisit_of=Revisit(sent[0].url, sent[0].began))
        ((name, _),) = done(warc)
    data = (folder / name).read_bytes()
    seen = []
    for record in ArchiveIterator(io.BytesIO(data), check_digests="raise"):
        body = record.raw_stream.read()
        seen.append((record.rec_type, body if record.rec_type == "response" else b""))
    expected = [("response", one.body) for one in sent]
    assert [one for one in seen if one[0] == "response"] == expected
    assert [kind for kind, _ in seen][-2:] == ["revisit", "request"]
    quick = [
        record.reader.read()
        for record in FastIterator(io.BytesIO(data), parse_http=True)
        if record.headers["WARC-Type"] == "response"
    ]
    assert quick == [one.body for one in sent]


def test_others_see_the_fields_of_a_revisit(tmp_path):
    with writer(tmp_path) as warc:
        first = put(warc, answer())
        put(warc, answer(), revisit_of=Revisit("https://example.org/", BEGAN, first.record_id))
        ((name, _),) = done(warc)
    with (tmp_path / name).open("rb") as file:
        headers = next(one.rec_headers for one in ArchiveIterator(file) if one.rec_type == "revisit")
    assert headers.get_header("WARC-Refers-To") == f"<{first.record_id}>"
    assert headers.get_header("WARC-Refers-To-Target-URI") == "https://example.org/"
    assert headers.get_header("WARC-Refers-To-Date") == "2025-11-15T22:55:09.123456Z"
    assert headers.protocol == "WARC/1.1"
