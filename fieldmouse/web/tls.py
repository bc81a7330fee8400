"""TLS as a crawler needs it: sessions that are resumed, and failures in plain words."""

import re
import ssl
from collections import OrderedDict
from pathlib import Path
from typing import Any

from fieldmouse.settings import WebSettings

SESSIONS = 4096  # servers whose session is kept

# What OpenSSL calls these failures, and what they mean.
REASONS = {
    "UNSUPPORTED_PROTOCOL": "the server offers no TLS newer than 1.1",
    "TLSV1_ALERT_PROTOCOL_VERSION": "the server refuses TLS 1.2 and 1.3",
    "WRONG_VERSION_NUMBER": "the server does not speak TLS on this port",
    "HTTP_REQUEST": "the server does not speak TLS on this port",
    "SSLV3_ALERT_HANDSHAKE_FAILURE": "the server and Fieldmouse have no cipher in common",
    "HANDSHAKE_FAILURE": "the server and Fieldmouse have no cipher in common",
    "TLSV1_UNRECOGNIZED_NAME": "the server does not know this host name",
    "UNEXPECTED_EOF_WHILE_READING": "the server broke off the TLS handshake",
    "DH_KEY_TOO_SMALL": "the key of the server is too short",
    "EE_KEY_TOO_SMALL": "the key of the server is too short",
}

_CODE_PLACE = re.compile(r" ?\(_ssl\.c:\d+\)")


class ResumingContext(ssl.SSLContext):
    """A context that resumes the last session with a server, which saves both sides the key exchange."""

    sessions: OrderedDict[str, ssl.SSLSession]

    def remember(self, host: str, session: ssl.SSLSession) -> None:
        """Keep the session with a host for its next connection."""
        self.sessions[host] = session
        self.sessions.move_to_end(host)
        if len(self.sessions) > SESSIONS:
            self.sessions.popitem(last=False)

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        """See `ssl.SSLContext`; called by the event loop for each connection."""
        if session is None and isinstance(server_hostname, str):
            session = self.sessions.get(server_hostname)
        return super().wrap_bio(incoming, outgoing, server_side, server_hostname, session)


def tls_context(limits: WebSettings, *, verify: bool) -> ResumingContext:
    """A context for all connections, with certificates checked or not.

    Certificates are checked against revocation lists where `web.ca_file` holds some.
    """
    context = ResumingContext(ssl.PROTOCOL_TLS_CLIENT)
    context.sessions = OrderedDict()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif limits.ca_file:
        context.load_verify_locations(limits.ca_file)
        if b"BEGIN X509 CRL" in Path(limits.ca_file).read_bytes():
            context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    else:
        context.load_default_certs()
    return context


def tls_reason(error: Any) -> str:
    """Why there is no TLS connection, in plain words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not accepted: {error.verify_message.rstrip('.')}"
    text = _CODE_PLACE.sub("", str(error))
    return REASONS.get(getattr(error, "reason", None) or "", text)
