"""HTTPS as users meet it: a real TLS server, an authority of our own, and everything that goes wrong."""

import asyncio
import contextlib
import datetime as dt
import socket
import ssl
import struct
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from fieldmouse.errors import ConfigError
from fieldmouse.types import Failure, Response, Trouble
from fieldmouse.web.http_client import HttpClient
from tests.crawl import webs
from tests.servers import HOME, Request, names, reply, serve
from tests.web.clients import fail_one, fetch, fetch_one, settings, ticket

LOOPS = pytest.mark.parametrize("run", [asyncio.run, uvloop.run])


def echo(request: Request) -> bytes:
    return reply(request.head)


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def bundle(ca: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    ca.cert_pem.write_to_path(path)
    return str(path)


def server_context(leaf: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    leaf.configure_cert(context)
    return context


@LOOPS
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_both_versions_with_keep_alive(
    ca: trustme.CA, bundle: str, run: Callable, version: ssl.TLSVersion
) -> None:
    context = server_context(ca.issue_cert(HOME))
    context.minimum_version = context.maximum_version = version
    with serve(echo, tls=context) as server:
        answers = fetch(server.url("/1"), server.url("/2"), run=run, ca_file=bundle)
        assert server.connections == 1
    assert [answer.body for answer in answers] == [answer.request for answer in answers]


@LOOPS
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_the_next_connection_resumes_the_session(
    ca: trustme.CA, bundle: str, run: Callable, version: ssl.TLSVersion
) -> None:
    context = server_context(ca.issue_cert(HOME))
    context.minimum_version = context.maximum_version = version
    with serve(lambda _: reply(b"x", 200, "Connection: close"), tls=context) as server:
        fetch(*(server.url(f"/{n}") for n in range(4)), run=run, ca_file=bundle)
        assert server.connections == 4
        assert context.session_stats()["hits"] == 3, "all but the first"


def test_each_name_gets_its_own_certificate(ca: trustme.CA, bundle: str) -> None:
    """SNI: two names on one address, each with a certificate for itself alone."""
    contexts = {name: server_context(ca.issue_cert(name)) for name in ("a.test", "b.test")}
    asked = []

    def choose(connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        asked.append(name)
        connection.context = contexts[str(name)]

    first = server_context(ca.issue_cert("other.test"))
    first.sni_callback = choose
    with (
        serve(echo, tls=first) as server,
        names("a.test. 60 IN A 127.77.0.1", "b.test. 60 IN A 127.77.0.1") as dns,
    ):
        answers = fetch(
            server.url(host="a.test"), server.url(host="b.test"), ca_file=bundle, dns_servers=(dns.server,)
        )
    assert [answer.status for answer in answers] == [200, 200]
    assert asked == ["a.test", "b.test"]


def old() -> dt.datetime:
    return dt.datetime(2001, 1, 1, tzinfo=dt.UTC)


BAD = {
    "expired": (
        lambda ca: ca.issue_cert(HOME, not_before=old(), not_after=old().replace(year=2002)),
        "expired",
    ),
    "not valid yet": (
        lambda ca: ca.issue_cert(
            HOME, not_before=old().replace(year=2090), not_after=old().replace(year=2099)
        ),
        "not yet valid",
    ),
    "self-signed": (lambda _: trustme.CA().issue_cert(HOME), "unable to get local issuer"),
    "wrong host": (lambda ca: ca.issue_cert("other.test"), "not valid for"),
}


@LOOPS
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_certificate_is_refused_in_plain_words(
    ca: trustme.CA, bundle: str, kind: str, run: Callable
) -> None:
    make, said = BAD[kind]
    with serve(echo, tls=server_context(make(ca))) as server:
        (failure,) = fetch(server.url(), run=run, ca_file=bundle)
        assert server.requests == []
        (answer,) = fetch(server.url(), run=run, ca_file=bundle, unverified_hosts=(HOME,))
        assert isinstance(answer, Response)
        (other,) = fetch(server.url(), run=run, ca_file=bundle, unverified_hosts=("other.test",))
        assert isinstance(other, Failure)
    assert failure.trouble is Trouble.TLS
    assert failure.detail.startswith("the certificate is not accepted: ")
    assert said in failure.detail
    assert "_ssl.c" not in failure.detail


def revoked(ca: trustme.CA, leaf: trustme.LeafCert) -> bytes:
    """A list of the authority that revokes a certificate."""
    issuer = x509.load_pem_x509_certificate(ca.cert_pem.bytes())
    key = load_pem_private_key(ca.private_key_pem.bytes(), None)
    serial = x509.load_pem_x509_certificate(leaf.cert_chain_pems[0].bytes()).serial_number
    now = dt.datetime.now(dt.UTC)
    entry = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(now).build()
    made = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(issuer.subject)
        .last_update(now - dt.timedelta(days=1))
        .next_update(now + dt.timedelta(days=9))
        .add_revoked_certificate(entry)
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)


def test_a_revoked_certificate(ca: trustme.CA, bundle: str, tmp_path: Path) -> None:
    """Refused where the bundle holds the list; without one nobody is asked, and it is accepted."""
    leaf, good = ca.issue_cert(HOME), ca.issue_cert(HOME)
    with_list = tmp_path / "with-list.pem"
    with_list.write_bytes(Path(bundle).read_bytes() + revoked(ca, leaf))
    with serve(echo, tls=server_context(leaf)) as server:
        assert fetch_one(server.url(), ca_file=bundle).status == 200
        failure = fail_one(server.url(), ca_file=str(with_list))
    assert failure.detail == "the certificate is not accepted: certificate revoked"
    with serve(echo, tls=server_context(good)) as server:
        assert fetch_one(server.url(), ca_file=str(with_list)).status == 200


@contextmanager
def rude(then: Callable[[socket.socket], None], read: int = 100) -> Iterator[int]:
    """A server that reads the first bytes of a handshake and then does something else."""
    with socket.create_server((HOME, 0)) as listening:

        def attend() -> None:
            while True:
                try:
                    guest, _ = listening.accept()
                except OSError:
                    return
                with guest:
                    guest.recv(read)
                    then(guest)

        threading.Thread(target=attend, daemon=True).start()
        yield listening.getsockname()[1]


@LOOPS
def test_a_server_of_the_last_century(ca: trustme.CA, bundle: str, run: Callable) -> None:
    context = server_context(ca.issue_cert(HOME))
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1

    def shake_hands(guest: socket.socket) -> None:
        with contextlib.suppress(OSError), context.wrap_socket(guest, server_side=True) as one:
            one.recv(100)

    with rude(shake_hands, read=0) as port:
        (failure,) = fetch(f"https://{HOME}:{port}/", run=run, ca_file=bundle)
    assert failure.trouble is Trouble.TLS
    assert failure.detail == "the server refuses TLS 1.2 and 1.3"


def reset(guest: socket.socket) -> None:
    guest.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@LOOPS
@pytest.mark.parametrize(
    ("then", "said"),
    [
        (reset, "broke off the TLS handshake"),
        (lambda _: None, "broke off the TLS handshake"),
        (lambda guest: guest.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n"), "does not speak TLS"),
        (lambda guest: guest.sendall(b"\x15\x03\x01\x00\x02\x02\x28"), "no cipher in common"),
    ],
)
def test_trouble_in_the_handshake(then: Callable, said: str, run: Callable) -> None:
    with rude(then) as port:
        (failure,) = fetch(f"https://{HOME}:{port}/", run=run, connect_timeout=60.0)
    assert isinstance(failure, Failure)
    assert said in failure.detail
    assert failure.trouble in (Trouble.TLS, Trouble.CONNECT, Trouble.TIMEOUT)


@LOOPS
def test_a_handshake_that_never_ends_is_given_up(run: Callable) -> None:
    over = threading.Event()
    with rude(lambda _: over.wait(60)) as port:
        (failure,) = fetch(f"https://{HOME}:{port}/", run=run, connect_timeout=0.5)
        over.set()
    assert failure.trouble is Trouble.TIMEOUT
    assert "no connection and TLS handshake within 0.5 seconds" in failure.detail


def test_a_bundle_without_certificates_is_an_error_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    with pytest.raises(ConfigError, match="no certificates"):
        HttpClient(settings(ca_file=str(tmp_path / "empty.pem")))


def test_why_and_the_log_tell_all_of_a_failure(ca: trustme.CA, bundle: str, tmp_path: Path) -> None:
    """A host with a bad certificate is not one whose robots.txt forbids us."""
    from fieldmouse import library

    make, _ = BAD["expired"]
    with (
        serve(echo, tls=server_context(make(ca))) as server,
        library.create(
            tmp_path / "a", allow_addresses=["127.0.0.0/8"], ca_file=bundle, min_free=0
        ) as archive,
    ):
        done = webs.run("-C", tmp_path / "a", "crawl", server.url())
        found = archive.why(server.url())
    reason = "tls: the certificate is not accepted: certificate has expired"
    assert done.returncode == 126
    assert reason in done.stdout + done.stderr
    assert "forbids" not in found.robots + found.summary
    assert reason in found.robots
    assert reason in found.visits[-1].note
    (log,) = (tmp_path / "a" / "logs").iterdir()
    assert reason.replace(" ", "_") in log.read_text()


@LOOPS
def test_a_busy_machine_is_not_charged_to_the_server(run: Callable) -> None:
    """The event loop stands still longer than the server may be silent; the answer is there all the time."""

    async def main(url: str) -> object:
        async with HttpClient(settings(idle_timeout=0.4, timeout=0.8)) as web:
            request = asyncio.ensure_future(web.exchange(ticket(url)))
            for _ in range(6):
                await asyncio.sleep(0.02)
                time.sleep(0.5)
            return await request

    with serve(lambda _: [0.6, reply(b"late")]) as server:
        answer = run(main(server.url()))
    assert isinstance(answer, Response)
    with serve(lambda _: [3.0, reply(b"late")]) as server:
        assert fail_one(server.url(), idle_timeout=0.4, timeout=0.8).trouble is Trouble.TIMEOUT
