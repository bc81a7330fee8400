"""Who sends a request: a program with a token, or a browser that signed in; and how often it may.

A browser signs in with the link that `serve` prints (its code works once, for ten minutes) or by pasting a
token. Then it has a cookie that other sites cannot send (SameSite=Strict) and scripts cannot read (HttpOnly).
What changes something needs more than the cookie: a value that only pages of this server know.
"""

import base64
import hashlib
import hmac
import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import Response

from fieldmouse.settings import ServeSettings
from fieldmouse.store.inbox_contract import AccessToken, Inbox, Role
from fieldmouse.units import DAY

COOKIE = "fieldmouse_session"
SESSION_SECONDS = 7 * DAY
CODE_SECONDS = 600.0

# Wrong tokens and codes from one address in a minute before all of its requests are refused.
MAX_WRONG = 20

# How long a token that was right is not looked up again, unless any token was revoked meanwhile.
KNOWN_SECONDS = 1.0

# Tokens and addresses whose requests are counted; the counts of all others start again at 0.
MAX_COUNTED = 10_000


@dataclass(slots=True)
class RateLimiter:
    """At most `rate` requests a minute, of which `burst` may come at once; by key."""

    rate: float
    burst: float
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)  # requests left, and when

    def wait(self, key: str, now: float, cost: float = 1.0) -> float:
        """Seconds until the next request is allowed; 0 if this one is, and then it is counted."""
        left, since = self._left.get(key, (self.burst, now))
        left = min(self.burst, left + max(0.0, now - since) * self.rate / 60)
        if left < cost:
            return (cost - left) * 60 / self.rate
        if len(self._left) >= MAX_COUNTED:
            self._left.clear()
        self._left[key] = left - cost, now
        return 0.0


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request."""

    token: AccessToken
    cookie: str = ""  # of a signed-in browser

    @property
    def csrf(self) -> str:
        """What a form of this browser must carry."""
        return hmac.new(self.cookie.encode(), b"csrf", hashlib.sha256).hexdigest()


class Access:
    """Checks tokens, codes, cookies and rates."""

    def __init__(self, inbox: Inbox, settings: ServeSettings, now: Callable[[], float]) -> None:
        self.inbox = inbox
        self.now = now
        self.rates = RateLimiter(settings.rate, max(settings.rate / 6, 10))
        self.wrong = RateLimiter(MAX_WRONG, MAX_WRONG)
        self._codes: dict[bytes, float] = {}  # hash of a sign-in code → when it expires
        # Hash of a token → when it was looked up, and how many revocations there were before.
        self._known: dict[bytes, tuple[float, int, AccessToken]] = {}

    def new_code(self) -> str:
        """A code for one sign-in of the operator."""
        code = secrets.token_urlsafe(24)
        self._codes[hashlib.sha256(code.encode()).digest()] = self.now() + CODE_SECONDS
        return code

    def caller(self, request: HTTPConnection) -> Caller | None:
        """Who sent this request; None without a token or session. A wrong token is an error.

        Feed readers send a token as a password. Browsers repeat it by themselves, so it is only for reading.
        """
        kind, _, text = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return Caller(self._checked(request, text.strip()))
        if kind.lower() == "basic" and request.scope.get("method") in ("GET", "HEAD"):
            return Caller(self._checked(request, _password(text)))
        if cookie := request.cookies.get(COOKIE, ""):
            token = self.inbox.session(cookie, self.now())
            if token is not None:
                return Caller(token, cookie)
        return None

    def require(self, request: HTTPConnection, *roles: Role) -> Caller:
        """Who sent this request, with one of these roles; raises 401, 403 or 429 otherwise.

        A browser's cookie alone is enough to read, and nothing else.
        """
        caller = self.caller(request)
        if caller is None:
            raise HTTPException(
                401, "send a token: Authorization: Bearer TOKEN", headers={"www-authenticate": "Bearer"}
            )
        if not any(map(caller.token.allows, roles)):
            wanted = " or ".join(roles)
            raise HTTPException(403, f"this token has no role {wanted}; make one with `fieldmouse token add`")
        if caller.cookie and request.scope["method"] not in ("GET", "HEAD"):
            self.check_csrf(caller, request.headers.get("x-csrf-token", ""))
        self.check_rate(caller.token.id or COOKIE)
        return caller

    def check_csrf(self, caller: Caller, value: str) -> None:
        """Raise 403 unless a form or script of this server sent the request."""
        if not hmac.compare_digest(caller.csrf.encode(), value.encode("utf-8", "replace")):
            raise HTTPException(403, "the form is too old; load the page again and repeat")

    def check_rate(self, key: str) -> None:
        """Raise 429 if a token is used too often."""
        if seconds := self.rates.wait(key, self.now()):
            raise HTTPException(
                429, "too many requests for this token", headers={"retry-after": str(math.ceil(seconds))}
            )

    def sign_in(self, request: HTTPConnection, code: str, token: str) -> str:
        """Open a session with a code or a token; returns its cookie. Raises 401 if both are wrong."""
        now = self.now()
        if code:
            expires = self._codes.pop(hashlib.sha256(code.encode()).digest(), 0.0)
            if expires < now:
                self._count_wrong(request)
                raise HTTPException(401, "this link was used before or is too old; paste a token instead")
            return self.inbox.open_session("", now + SESSION_SECONDS, now)
        found = self._checked(request, token)
        return self.inbox.open_session(found.id, now + SESSION_SECONDS, now)

    def _checked(self, request: HTTPConnection, text: str) -> AccessToken:
        now, digest = self.now(), hashlib.sha256(text.encode("utf-8", "replace")).digest()
        revocations = self.inbox.revocations()
        since, before, known = self._known.get(digest, (0.0, 0, None))
        if known is not None and revocations == before and 0.0 <= now - since < KNOWN_SECONDS:
            return known
        token = self.inbox.check_token(text, now)
        if len(self._known) >= MAX_COUNTED:
            self._known.clear()
        self._known.pop(digest, None)
        if token is not None:
            self._known[digest] = now, revocations, token
        if token is None:
            self._count_wrong(request)
            raise HTTPException(
                401, "this token is unknown or revoked", headers={"www-authenticate": "Bearer"}
            )
        return token

    def _count_wrong(self, request: HTTPConnection) -> None:
        address = request.client.host if request.client else ""
        if seconds := self.wrong.wait(address, self.now()):
            raise HTTPException(
                429, "too many wrong tokens", headers={"retry-after": str(math.ceil(seconds))}
            )


def _password(text: str) -> str:
    """The password of a Basic authorization; empty if there is none."""
    try:
        return base64.b64decode(text.strip(), validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def set_cookie(response: Response, cookie: str) -> None:
    """Sign a browser in with this cookie, or out with an empty one."""
    age = int(SESSION_SECONDS) if cookie else 0
    response.set_cookie(COOKIE, cookie, max_age=age, path="/", httponly=True, samesite="strict")
