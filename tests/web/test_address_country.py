"""Countries of addresses, by the tables of registries and by plain ranges."""

import gzip
from pathlib import Path

import pytest

from fieldmouse.errors import ConfigError
from fieldmouse.web.address_country import AddressCountries

REGISTRY = """2.3|ripencc|1700000000|3|19830705|20261117|+0100
# a comment
ripencc|*|ipv4|*|2|summary
ripencc|DE|ipv4|193.0.0.0|2048|19930901|allocated|x
ripencc||ipv4|193.0.8.0|2048||available|
ripencc|FR|ipv4|193.0.16.0|256|19930901|assigned|y
ripencc|AT|ipv6|2001:db8::|32|20000101|allocated|z
ripencc|DE|asn|7|1|19930901|allocated|x
"""


def test_a_table_of_a_registry(tmp_path: Path) -> None:
    path = tmp_path / "delegated-ripencc-extended-latest.gz"
    path.write_bytes(gzip.compress(REGISTRY.encode()))
    table = AddressCountries.read(path)
    told = {"193.0.0.0": "DE", "193.0.7.255": "DE", "193.0.8.0": "", "193.0.16.9": "FR", "193.0.17.0": ""}
    told |= {"2001:db8::1": "AT", "2001:db9::": "", "192.255.255.255": "", "no address": "", "::": ""}
    assert {address: table.country(address) for address in told} == told


def test_plain_ranges(tmp_path: Path) -> None:
    lines = ("1.0.0.0,1.0.0.255,AU", '"1.0.1.0","1.0.3.255","cn"', "2001:200::,2001:200:ffff::,JP")
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines), "utf-8")
    table = AddressCountries.read(path)
    told = {"1.0.0.7": "AU", "1.0.2.0": "CN", "1.0.4.0": "", "2001:200::5": "JP"}
    assert {address: table.country(address) for address in told} == told


@pytest.mark.parametrize(
    ("text", "said"),
    [("1.0.0.0,1.0.0.999,AU", "line 1"), ("nothing", "has no line"), ("r|DE|ipv4|1.2.3|9|d|s", "line 1")],
)
def test_a_file_that_is_no_table(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "table").write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=said):
        AddressCountries.read(tmp_path / "table")
    with pytest.raises(ConfigError, match="cannot be read"):
        AddressCountries.read(tmp_path / "none")
