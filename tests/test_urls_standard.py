"""The URL standard's own test data, the Public Suffix List's, and the list of our deliberate differences."""

import json
import re
from pathlib import Path

import pytest

from fieldmouse import urls

DATA = Path(__file__).parent / "data"
REFERENCE = Path(__file__).parent.parent / "docs" / "reference" / "urls.md"


def cases(file: str) -> list[dict]:
    return [one for one in json.loads((DATA / "url-wpt" / file).read_text("utf-8")) if isinstance(one, dict)]


CASES = cases("urltestdata.json")


def expected(case: dict) -> str | None:
    """What `parse` must say: the href, or None for failures and for other schemes."""
    href = case.get("href") or ""
    return href if href.startswith(("http://", "https://")) else None


def test_there_is_something_to_test():
    assert len(CASES) == 891
    assert sum(1 for case in CASES if expected(case)) == 247


@pytest.mark.parametrize("number", range(len(CASES)))
def test_parse_follows_the_standard(number):
    case = CASES[number]
    assert urls.parse(case["input"], case["base"]) == expected(case)


def test_international_hosts_follow_the_standard():
    hosts = cases("toascii.json")
    assert len(hosts) == 87
    for case in hosts:
        wanted = None if case["output"] is None else f"http://{case['output']}/x"
        assert urls.parse(f"http://{case['input']}/x") == wanted, case


def test_half_surrogates_are_replaced_as_browsers_do():
    assert urls.parse("http://example.com/\ud800x") == "http://example.com/%EF%BF%BDx"
    assert urls.parse("\udfff", "http://example.com/a/") == "http://example.com/a/%EF%BF%BD"
    assert urls.parse("x", "http://example.com/\ud83d\ude00/") == "http://example.com/%F0%9F%98%80/x"


def differences() -> list[list[str | None]]:
    """The cases whose canonical form is not the standard's form with the fragment cut off."""
    canon, found = urls.Canon(), []
    for case in CASES:
        wanted, ours = expected(case), canon(case["input"], case["base"])
        if ours != (wanted and wanted.partition("#")[0]):
            found.append([case["input"], case["base"], wanted, ours])
    return found


def listed() -> list[list[str | None]]:
    return [
        json.loads(line) for line in re.findall(r"^\[\".*\]$", REFERENCE.read_text("utf-8"), re.MULTILINE)
    ]


def test_each_difference_from_the_standard_is_listed_and_none_is_stale():
    in_code = sorted(json.dumps(one) for one in differences())
    in_docs = sorted(json.dumps(one) for one in listed())
    assert in_docs == in_code


def suffix_cases() -> list[tuple[str, str | None]]:
    text = (DATA / "psl" / "test_psl.txt").read_text("utf-8")
    found = re.findall(r"^checkPublicSuffix\('([^']+)', (?:'([^']+)'|null)\);", text, re.MULTILINE)
    return [(host, domain or None) for host, domain in found]


def test_registrable_domains_follow_the_public_suffix_list():
    hosts = suffix_cases()
    assert len(hosts) > 70
    for host, domain in hosts:
        # Where the list has no answer (a bare suffix, an empty label) the host stands for itself.
        assert urls.registrable_domain(host) == (domain or host.lower()), host
