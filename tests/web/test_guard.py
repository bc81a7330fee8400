import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.errors import ConfigError
from fieldmouse.web.guard import Guard

REFUSED = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254
168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1
192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1
239.255.255.250 240.0.0.1 255.255.255.255
:: ::1 ::127.0.0.1 ::10.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1
64:ff9b:1::8.8.8.8 100::1 2001::1
2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:10::1 2001:db8::1 2002:7f00:1::1 2002:a00:1:: 2002:808:808::1
3fff::1 3fff:fff::1 4000::1 5f00::1 fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fe80::1%eth0
febf::1 fec0::1 ff02::1 ff0e::1 2606:4700::1111%eth0
""".split()  # noqa: SIM905

ALLOWED = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 168.63.129.17
169.253.0.1 172.15.0.1 172.32.0.1 192.0.1.1 192.167.0.1 192.169.0.1 198.17.0.1 198.20.0.1 223.255.255.255
2001:200::1 2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450:4001:81b::200e 3ffe::1 ::ffff:8.8.8.8
64:ff9b::8.8.8.8
""".split()  # noqa: SIM905


@pytest.mark.parametrize("address", REFUSED)
def test_refused(address):
    assert address in Guard().refuse(address)


@pytest.mark.parametrize("address", ALLOWED)
def test_allowed(address):
    assert Guard().refuse(address) == ""


@pytest.mark.parametrize(
    "text", ["", "localhost", "0x7f.1", "127.1", "2130706433", "1.2.3.4:80", "[::1]", "a b"]
)
def test_what_is_no_address_is_refused(text):
    assert "not an IP address" in Guard().refuse(text)


def test_the_table_is_long_enough():
    assert len(REFUSED) >= 40
    assert len(set(REFUSED)) == len(REFUSED)


def test_the_user_may_allow_networks():
    guard = Guard(["127.77.0.0/16", "10.1.2.3", "fd00:1::/32"])
    for address in ("127.77.0.1", "127.77.255.255", "10.1.2.3", "fd00:1::7", "::ffff:127.77.0.1"):
        assert guard.refuse(address) == ""
    for address in ("127.76.255.255", "127.78.0.0", "10.1.2.4", "fd00:2::7", "::ffff:127.0.0.1", "::1"):
        assert guard.refuse(address)


@pytest.mark.parametrize("entry", ["nonsense", "10.1.0.5/16", "10.0.0.0/33", "", "example.com", "::1/200"])
def test_a_bad_entry_names_the_setting(entry):
    with pytest.raises(ConfigError, match=r"web\.allow_addresses"):
        Guard([entry])


@pytest.mark.parametrize("port", [0, 1, 22, 23, 25, 53, 110, 143, 6000, 6379, 6667, 11211, -1, 65536])
def test_ports_of_other_services_are_refused(port):
    assert str(port) in Guard().refuse_port(port)


@pytest.mark.parametrize("port", [80, 443, 591, 3000, 8000, 8080, 8443, 9000, 65535])
def test_ports_of_web_servers_are_not(port):
    assert Guard().refuse_port(port) == ""


@given(st.ip_addresses())
@settings(max_examples=200, deadline=None)
def test_what_the_standard_library_calls_private_is_refused(address):
    if not address.is_global:
        assert Guard().refuse(str(address))


@given(st.ip_addresses(v=4))
@settings(max_examples=200, deadline=None)
def test_disguises_change_nothing(address):
    guard = Guard()
    plain = bool(guard.refuse(str(address)))
    assert bool(guard.refuse(f"::ffff:{address}")) == plain
    assert bool(guard.refuse(f"64:ff9b::{address}")) == plain
