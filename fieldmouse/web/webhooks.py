"""Sends JSON to a URL that the user has set. Redirects are not followed.

An address that stands in the URL itself is allowed, loopback too: the user wrote it. A name must lead to
addresses that the guard allows.
"""

import http.client
import socket
import ssl
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from .guard import Guard

SECONDS = 20.0
LONGEST_ANSWER = 64 * 1024


def post_json(url: str, body: bytes, headers: Mapping[str, str], guard: Guard) -> str:
    """Post to a URL; why the receiver has not taken it, or empty."""
    try:
        return _post(url, body, headers, guard)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _post(url: str, body: bytes, headers: Mapping[str, str], guard: Guard) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"{url!r} is not an http or https URL"
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    address = _address(parts.hostname, port, guard)
    connection = http.client.HTTPConnection(parts.hostname, port, timeout=SECONDS)
    try:
        plain = socket.create_connection((address, port), timeout=SECONDS)
        connection.sock = (
            ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname)
            if secure
            else plain
        )
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", path, body, {**headers, "Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read(LONGEST_ANSWER)
        return "" if 200 <= answer.status < 300 else f"status {answer.status}"
    finally:
        connection.close()


def _address(host: str, port: int, guard: Guard) -> str:
    """The address of a host that may be connected to."""
    try:
        ip_address(host)
    except ValueError:
        pass
    else:
        return host
    found = [str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if host == "localhost":
        return found[0]
    allowed = [one for one in found if not guard.refuse(one)]
    if not allowed:
        raise OSError(guard.refuse(found[0]) if found else f"{host} has no address")
    return allowed[0]
