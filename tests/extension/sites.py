"""A web site for the tests of the extension, and a way to hold back the answers of the server.

Pages are built by a script or stand behind a form login, as readers meet them.
"""

import http.server
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import parse_qs, urlsplit

BUILT = """<!doctype html><html lang=en><title>Loading</title>
<meta name=csrf-token content=meta-secret><base href="/static/">
<noscript>Switch scripts on</noscript>
<div id=app></div><my-card><b slot=name>Slotted words</b></my-card><iframe src=/frame></iframe>
<form><input type=password value=password-secret><input name=q value=typed-secret>
<input type=hidden value=hidden-secret>
<textarea>textarea-secret</textarea><div contenteditable>editor-secret</div>
<input type=submit value=Search></form>
<script nonce=x>
const secretOfScript = "script-secret";
document.title = "Built by a script";
document.getElementById("app").innerHTML = "<h1>Prices of coils</h1>" +
  "<p>The coil costs 12 euros since Monday, says the shop.</p><a href=next>next</a>";
customElements.define("my-card", class extends HTMLElement {
  connectedCallback() {
    const shadow = this.attachShadow({mode: "closed"});
    shadow.innerHTML = "<style>b{color:red}</style><p>In a shadow tree: <slot name=name></slot></p>";
  }
});
document.querySelector("input[name=q]").value = "live-secret";
</script>"""

SIGN_IN = """<!doctype html><title>Sign in</title><form method=post action=/sign-in>
<input name=name><input name=password type=password><button>Sign in</button></form>"""

ACCOUNT = """<!doctype html><title>Account of Ann</title>
<p>Your balance is 12 euros and your next invoice is due in May.</p>
<form method=post action=/leave><button>Sign out</button></form>"""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _answer(self, text: str, status: int = 200, **headers: str) -> None:
        body = text.encode()
        self.send_response(status)
        given = {"content-type": "text/html; charset=utf-8", "content-length": str(len(body))}
        for name, value in (
            given | {name.replace("_", "-"): value for name, value in headers.items()}
        ).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/account" and "session=ann" not in self.headers.get("cookie", ""):
            self._answer("", 303, location="/sign-in")
        elif path == "/plain":
            self._answer("Only words & <signs>.", content_type="text/plain")
        else:
            frame = "<p>Words in a frame of the same site.</p>"
            pages = {"/built": BUILT, "/sign-in": SIGN_IN, "/account": ACCOUNT, "/frame": frame}
            self._answer(pages.get(path, f"<!doctype html><title>Page {path}</title><p>Words of {path}."))

    def do_POST(self) -> None:
        sent = parse_qs(self.rfile.read(int(self.headers.get("content-length", "0"))).decode())
        if sent.get("password") == ["right"]:
            self._answer("", 303, location="/account", set_cookie="session=ann; HttpOnly; Path=/")
        else:
            self._answer(SIGN_IN, 403)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def site() -> Iterator[int]:
    """The site, on a free port of 127.0.0.1."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Gate:
    """Passes requests on to a server. It can be closed, and it can hold answers back."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.open = True
        self.hold = threading.Event()  # while set, answers to POST /v1/pages stay here
        self.held = threading.Event()  # an answer is there and held back
        self.posts: list[bytes] = []  # heads of the POST requests for pages
        self.heads: list[bytes] = []  # of all requests
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if not self.open:
                    client.close()
                    continue
                thread = threading.Thread(target=self._pass_on, args=(client,))
                self._threads.append(thread)
                thread.start()

    def _pass_on(self, client: socket.socket) -> None:
        """One request on each connection: the server is told to close it."""
        with client, suppress(OSError, ValueError):
            client.settimeout(20)
            head, rest = _head(client)
            if not head or not self.open:
                return
            self.heads.append(head)
            is_page = head.startswith(b"POST /v1/pages")
            if is_page:
                self.posts.append(head)
            with socket.create_connection(("127.0.0.1", self.target), 20) as server:
                first, _, others = head.partition(b"\r\n")
                kept = [one for one in others.split(b"\r\n") if not one.lower().startswith(b"connection:")]
                server.sendall(b"\r\n".join([first, b"connection: close", *kept]) + b"\r\n\r\n" + rest)
                left = int(_field(head, b"content-length") or 0) - len(rest)
                while left > 0:
                    part = client.recv(65536)
                    left -= len(part)
                    server.sendall(part)
                answer = b""
                while part := server.recv(65536):
                    answer += part
            if is_page and self.hold.is_set():
                self.held.set()
                while self.hold.is_set() and not self._ended.wait(0.05):
                    pass
            client.sendall(answer)

    def close(self) -> None:
        self._ended.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._accepting.join()
        for thread in self._threads:
            thread.join()


def _head(client: socket.socket) -> tuple[bytes, bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        part = client.recv(65536)
        if not part:
            return b"", b""
        data += part
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def _field(head: bytes, name: bytes) -> bytes:
    for line in head.split(b"\r\n"):
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip()
    return b""


@contextmanager
def gate(port: int) -> Iterator[Gate]:
    """A gate before the server on this port."""
    one = Gate(port)
    try:
        yield one
    finally:
        one.close()
