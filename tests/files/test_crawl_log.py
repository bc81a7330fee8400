import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.files.crawl_log import CODES, CrawlLog, Entry, entry, line, parse
from fieldmouse.types import Failure, Finding, Ticket, Trouble
from tests.store.answers import BEGAN, answer

TICKET = Ticket(url="https://example.org/a", host="example.org", trail="LLR", via="https://example.org/")


def test_a_visit_byte_for_byte():
    finding = Finding(ticket=TICKET, outcome=answer(b"x" * 1234))
    assert line(entry(finding, worker="w0", digest="sha1:ABC", known_by="first")) == (
        b"2025-11-15T22:55:09.373Z   200       1234 https://example.org/a LLR https://example.org/ text/html"
        b" #w0 20251115225509123+250 sha1:ABC - first\n"
    )


def test_a_failure_byte_for_byte():
    failure = Failure(url=TICKET.url, trouble=Trouble.DNS, detail="no such name, really", began=BEGAN, took=1)
    finding = Finding(ticket=TICKET, outcome=failure, again=True)
    assert line(entry(finding, worker="w0")) == (
        b"2025-11-15T22:55:10.123Z    -1          - https://example.org/a LLR https://example.org/ -"
        b" #w0 20251115225509123+1000 - - dns,no_such_name;_really,again\n"
    )


def test_every_trouble_has_a_code():
    assert CODES.keys() == set(Trouble)
    assert all(code < 0 for code in CODES.values())


def test_what_was_cut_stands_in_the_annotations():
    finding = Finding(ticket=TICKET, outcome=answer(truncated="length"), note="too large")
    assert entry(finding, worker="w0", known_by="first").annotations == (
        "first",
        "truncated:length",
        "too large",
    )


WORDS = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_characters="\x7f\x85\xa0,"), max_size=9
)
WORD = WORDS.filter(lambda text: text != "-")
MILLISECONDS = st.integers(0, 4_000_000_000_000).map(lambda n: n / 1000)
ENTRIES = st.builds(
    Entry,
    time=MILLISECONDS,
    status=st.integers(-9998, 599),
    size=st.none() | st.integers(0, 1 << 40),
    url=WORD.map(lambda text: f"http://example.org/{text}"),
    trail=WORD,
    via=WORD,
    mime=WORD,
    worker=WORD.filter(lambda text: not text.startswith("#")),
    began=MILLISECONDS,
    took=st.integers(0, 600_000).map(lambda n: n / 1000),
    digest=WORD,
    source=WORD,
    annotations=st.lists(WORD.filter(bool), max_size=3).map(tuple),
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(one=ENTRIES)
def test_a_line_reads_back(one):
    assert parse(line(one)) == one


@settings(max_examples=200, deadline=None, derandomize=True)
@given(url=st.text(), via=st.text(), note=st.text())
def test_nothing_breaks_out_of_its_column(url, via, note):
    written = line(Entry(time=0, status=200, size=0, url=f"http://a/{url}", via=via, annotations=(note,)))
    assert written.count(b"\n") == 1
    assert parse(written).status == 200


def test_lines_of_heritrix_are_read():
    one = parse(
        b"2017-01-05T15:19:35.123Z   404        345 http://example.com/robots.txt P http://example.com/ "
        b"text/html #042 20170105151934567+89 sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - 3t,ip:192.0.2.1\n"
    )
    assert (one.status, one.size, one.trail, one.worker, one.took) == (404, 345, "P", "042", 0.089)
    assert one.annotations == ("3t", "ip:192.0.2.1")
    assert one.time - one.began == pytest.approx(0.556)


@pytest.mark.parametrize("text", [b"", b"a b c", b"x " * 12, b"2017-01-05T15:19:35.123Z 1 2 3 4 5 6 7 8 9"])
def test_other_lines_are_refused(text):
    with pytest.raises(ValueError, match="not a line of a crawl log"):
        parse(text)


def test_the_log_grows_in_step_with_the_database(tmp_path):
    finding = Finding(ticket=TICKET, outcome=answer())
    with CrawlLog(tmp_path / "crawl.log") as log:
        log.append(finding, worker="w0")
        committed = log.sync()
        log.commit()
        log.append(finding, worker="w0")
        log.rollback()
        log.append(finding, worker="w1")
        log.sync()
    with CrawlLog(tmp_path / "crawl.log", committed) as log:
        assert log.file.cut == committed
    lines = (tmp_path / "crawl.log").read_bytes().splitlines(keepends=True)
    assert [parse(one).worker for one in lines] == ["w0"]
