from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.files.crawl_log import CODES, CrawlLog, line
from fieldmouse.types import Failure, Finding, Ticket, Trouble
from tests.store.answers import BEGAN, answer

TICKET = Ticket(url="https://example.org/a", host="example.org", trail="LLR", via="https://example.org/")


def test_a_visit_byte_for_byte():
    finding = Finding(ticket=TICKET, outcome=answer(b"x" * 1234))
    assert line(finding, worker="w0", digest="sha1:ABC", known_by="first") == (
        b"2025-11-15T22:55:09.373Z   200       1234 https://example.org/a LLR https://example.org/ text/html"
        b" #w0 20251115225509123+250 sha1:ABC - first\n"
    )


def test_a_failure_byte_for_byte():
    failure = Failure(url=TICKET.url, trouble=Trouble.DNS, detail="no such name, really", began=BEGAN, took=1)
    finding = Finding(ticket=TICKET, outcome=failure, again=True)
    assert line(finding, worker="w0") == (
        b"2025-11-15T22:55:10.123Z    -1          - https://example.org/a LLR https://example.org/ -"
        b" #w0 20251115225509123+1000 - - dns,no_such_name;_really,again\n"
    )


def test_every_trouble_has_a_code():
    assert CODES.keys() == set(Trouble)
    assert all(code < 0 for code in CODES.values())


def test_what_was_cut_stands_in_the_annotations():
    finding = Finding(ticket=TICKET, outcome=answer(truncated="length"), note="too large")
    assert line(finding, worker="w0", known_by="first").endswith(b" first,truncated:length,too_large\n")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(texts=st.fixed_dictionaries(dict.fromkeys(("url", "trail", "via"), st.text())), note=st.text())
def test_nothing_breaks_out_of_its_column(texts, note):
    ticket = Ticket(host="a", **texts | {"url": f"http://a/{texts['url']}"})
    written = line(Finding(ticket=ticket, outcome=answer(b"xy"), note=note), worker="w0", digest="sha1:ABC")
    assert written.count(b"\n") == 1
    columns = written.decode().split()
    assert len(columns) == 12
    assert (columns[1], columns[2], columns[7], columns[9], columns[10]) == (
        "200",
        "2",
        "#w0",
        "sha1:ABC",
        "-",
    )


@settings(max_examples=200, deadline=None, derandomize=True)
@given(began=st.integers(0, 4_000_000_000_000), took=st.integers(0, 600_000))
def test_times_are_kept_to_the_millisecond(began, took):
    failure = Failure(url=TICKET.url, trouble=Trouble.DNS, detail="", began=began / 1000, took=took / 1000)
    columns = line(Finding(ticket=TICKET, outcome=failure), worker="w0").decode().split()
    start, _, milliseconds = columns[8].partition("+")
    assert int(milliseconds) == took
    moment = datetime.strptime(f"{start}000", "%Y%m%d%H%M%S%f").replace(tzinfo=UTC)
    assert moment - datetime.fromtimestamp(0, UTC) == timedelta(milliseconds=began)
    assert datetime.fromisoformat(columns[0]) - moment == timedelta(milliseconds=took)


def test_the_log_grows_in_step_with_the_database(tmp_path):
    finding = Finding(ticket=TICKET, outcome=answer())
    with CrawlLog(tmp_path / "crawl.log") as log:
        log.add(finding, worker="w0")
        committed = log.sync()
        log.commit()
        log.add(finding, worker="w0")
        log.rollback()
        log.add(finding, worker="w1")
        log.sync()
    with CrawlLog(tmp_path / "crawl.log", committed) as log:
        assert log.cut == committed
    lines = (tmp_path / "crawl.log").read_bytes().splitlines(keepends=True)
    assert [one.split()[7] for one in lines] == [b"#w0"]
