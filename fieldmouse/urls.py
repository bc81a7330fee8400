"""Canonical URLs: one spelling for each page.

`parse` follows the WHATWG URL standard. `Canon` also removes what does not select the page (fragment, user,
tracking and session parameters). All other functions (`host_key`, `surt`, ...) expect a canonical URL and
only slice text. docs/reference/urls.md has the rules.
"""

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote_from_bytes, unquote_to_bytes

from ada_url import join_url, normalize_url
from publicsuffixlist import PublicSuffixList

# Added by advertisers and mailers to identify clicks; no known page needs one of them.
_TRACKING_NAMES = """
    _ga _gl _hsenc _hsmi __hsfp __hssc __hstc _openstat dclid epik fb_action_ids fb_action_types fb_ref
    fb_source fbclid gad_source gbraid gclid gclsrc hsctatracking igsh igshid li_fat_id mc_cid mc_eid
    mkt_tok msclkid oly_anon_id oly_enc_id pk_campaign pk_keyword pk_kwd pk_medium pk_source rb_clickid
    srsltid ttclid twclid vero_conv vero_id wbraid wickedid wt_mc ymclid yclid
"""
TRACKING = frozenset(_TRACKING_NAMES.split())
TRACKING_PREFIXES = ("utm_", "mtm_", "hsa_")
# Names of sessions with any value; the other names count only if the value looks like a token.
SESSIONS = frozenset({"cftoken", "jsessionid", "phpsessid"})
SESSION_PREFIX = "aspsessionid"
MAYBE_SESSIONS = frozenset({"cfid", "oscsid", "sess", "sessid", "session_id", "sessionid", "sid", "zenid"})

# Folders whose hrefs are cached, and hrefs of each.
NEAR_FOLDERS, NEAR_HREFS = 400, 250

_surrogate = re.compile("[\ud800-\udfff]").search
_token = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[0-9A-Za-z]{20,}").fullmatch
_path_session = re.compile(r"(?<!/\.)(?<!/\.\.);jsessionid=[^/;?]*", re.IGNORECASE).sub
# Not an escape after a stray %, which would form a new escape once decoded: "%%341" must not become "%41".
_escapes = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})|%[0-9A-Fa-f]{2}").sub
_www = re.compile(r"^www\d*\.").sub
_slashes = re.compile("//+").sub
_index_page = re.compile(r"(?<=/)(?:index|default)\.[A-Za-z]{3,5}$").sub
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

# A URL that the standard leaves as it is, or joins by concatenation. Nine of ten links match, and this test
# costs a sixth of a parse.
_SEGMENT = r"[A-Za-z0-9_~+,=-][A-Za-z0-9_~+,=.-]*+"
_LABEL = r"(?!xn--)[a-z0-9_-]++"
_HOST = rf"(?:{_LABEL}\.)*(?!xn--)[a-z][a-z0-9_-]*+"
_REST = rf"(?:{_SEGMENT}/)*+(?:{_SEGMENT})?(?:\?[A-Za-z0-9_.~=&+,/:@!*-]*+)?"
_absolute = re.compile(rf"https?://{_HOST}/{_REST}").fullmatch
_plain = re.compile(
    rf"(?:(?P<whole>https?://{_HOST}/)|(?P<root>/(?!/))|(?P<up>(?:\.\./)++)|(?P<here>\./)|(?=[A-Za-z0-9_~+,=-]))"
    rf"{_REST}"
).fullmatch
_blank_or_other_scheme = re.compile(r"(?ai)[\x00- ]*(?:\Z|(?!https?:)[a-z][a-z0-9+.-]*:)").match


def parse(text: str, base: str | None = None) -> str | None:
    """The URL as the WHATWG URL standard writes it, or None unless it is a valid http(s) URL."""
    try:
        href = normalize_url(text) if base is None else join_url(base, text)
    except ValueError:
        if _surrogate(text) or _surrogate(base or ""):  # a browser replaces half surrogates before it parses
            halves = [one.encode("utf-16-le", "surrogatepass") for one in (text, base or "")]
            text, mended = (one.decode("utf-16-le", "replace") for one in halves)
            return parse(text, None if base is None else mended)
        return None
    return href if href.startswith(("http://", "https://")) else None


_PAGE, _NOISE, _SESSION, _MAYBE = range(4)


class _ParameterKinds(dict[str, int]):
    """The kind of each parameter name, computed at its first use; at most a thousand names are kept."""

    def __init__(self, drop: list[str], keep: list[str]) -> None:
        super().__init__()
        self._keep = frozenset(keep)
        self._drop = TRACKING.union(drop)
        self._prefixes = (*TRACKING_PREFIXES, *(name[:-1] for name in drop if name.endswith("*")))

    def __missing__(self, name: str) -> int:
        if len(self) >= 1000:
            self.clear()
        lower, kind = name.lower(), _PAGE
        if lower in self._keep:
            kind = _PAGE
        elif lower in self._drop or lower.startswith(self._prefixes):
            kind = _NOISE
        elif lower in SESSIONS or lower.startswith(SESSION_PREFIX):
            kind = _SESSION
        elif lower in MAYBE_SESSIONS:
            kind = _MAYBE
        self[name] = kind
        return kind


class Canon:
    """Makes canonical URLs; `drop` adds parameters to leave out ("ref", "at_*"), `keep` protects some."""

    def __init__(self, drop: Iterable[str] = (), keep: Iterable[str] = ()) -> None:
        self._kinds = _ParameterKinds([name.lower() for name in drop], [name.lower() for name in keep])
        self._path_sessions = self._kinds["jsessionid"] != _PAGE
        self._near: dict[
            str, dict[str, str]
        ] = {}  # by folder: URLs of plain hrefs, shared by most of its pages

    def __call__(self, text: str, base: str | None = None) -> str | None:
        """The canonical form, or None unless it is a valid http(s) URL."""
        text = text.partition("#")[0]
        if _absolute(text):
            return self._without_noise(text) if "?" in text else text
        href = parse(text, base and base.partition("#")[0])
        if href is None:
            return None
        if "%" in href:
            href = _escapes(_escape, href)
        scheme, _, authority, rest = href.split("/", 3)
        if "@" in authority or "." in (authority[0], authority[-1]) or ".." in authority or ".:" in authority:
            authority = authority.rpartition("@")[2]
            if not authority.startswith("["):
                name, colon, port = authority.partition(":")
                name = name.removesuffix(".")  # of a full name
                if not name or name[0] == "." or ".." in name or name[-1] == ".":
                    return None  # no such name can exist
                authority = f"{name}{colon}{port}"
            href = f"{scheme}//{authority}/{rest}"
        if ";" in rest and self._path_sessions:
            path, mark, query = rest.partition("?")
            href = f"{scheme}//{authority}{_path_session('', '/' + path)}{mark}{query}"
        return self._without_noise(href) if "?" in href else href

    def links(self, base: str, hrefs: Iterable[str]) -> list[str]:
        """The distinct canonical URLs that the hrefs of a page name, in the order first seen."""
        return list(dict.fromkeys(self.resolved(base, hrefs).values()))

    def resolved(self, base: str, hrefs: Iterable[str]) -> dict[str, str]:
        """The canonical URL of each href of a page, by the href without its fragment.

        Fragments of the page itself and other schemes (mailto:, javascript:, ...) are left out.
        """
        here = self(base)
        folders = _folders(here) if here else []
        near = self._near.get(folders[0]) if folders else {}
        if near is None:
            if len(self._near) >= NEAR_FOLDERS:
                self._near.clear()
            near = self._near[folders[0]] = {}
        elif len(near) > NEAR_HREFS:
            near.clear()
        found: dict[str, str] = {}
        for href in dict.fromkeys([href.partition("#")[0] for href in hrefs]):
            if (url := near.get(href)) is not None:
                found[href] = url
                continue
            plain = _plain(href)
            if not (plain and folders):
                if not _blank_or_other_scheme(href) and (joined := self(href, here)):
                    found[href] = joined
                    if href.startswith(("http://", "https://")):  # the others depend on the page
                        near[href] = joined
                continue
            kind = plain.lastgroup
            if kind is None:
                url = folders[0] + href
            elif kind == "root":
                url = folders[-1] + href[1:]
            elif kind == "up":
                climbed = plain.end("up")
                url = folders[min(climbed // 3, len(folders) - 1)] + href[climbed:]
            else:
                url = folders[0] + href[2:] if kind == "here" else href
            found[href] = near[href] = self._without_noise(url) if "?" in href else url
        return found

    def _without_noise(self, url: str) -> str:
        """The URL without tracking and session parameters, and without an empty query."""
        address, _, query = url.partition("?")
        kinds = self._kinds
        for one in query.split("&"):
            if kinds[one.partition("=")[0]]:  # a name that may be noise; very rare
                coldfusion = "cftoken=" in query.lower()
                query = "&".join([one for one in query.split("&") if not self._is_noise(one, coldfusion)])
                break
        return f"{address}?{query}" if query else address

    def _is_noise(self, parameter: str, coldfusion: bool) -> bool:
        name, _, value = parameter.partition("=")
        kind = self._kinds[name]
        if kind == _SESSION:
            return ";" not in value  # some servers separate parameters with it, and the others count
        if kind == _MAYBE:
            return _token(value) is not None or (coldfusion and name.lower() == "cfid")
        return kind == _NOISE


def _escape(match: re.Match[str]) -> str:
    """One %XX: the character itself when it never needs escaping, else in upper case."""
    letter = chr(int(match[1] or "0", 16))
    return letter if letter in _UNRESERVED else match[0].upper()


def _folders(url: str) -> list[str]:
    """The folder a page is in, its parent, and so on to the root, each ending in a slash."""
    folder = url.partition("?")[0]
    root = folder.index("/", 8)
    folders = []
    while (end := folder.rindex("/")) > root:
        folders.append(folder[: end + 1])
        folder = folder[:end]
    return [*folders, folder[: root + 1]]


def host_key(url: str) -> str:
    """The key of a host for politeness: its name, with its port unless it is the default one."""
    return url.split("/", 3)[2]


def hostname(url: str) -> str:
    """The host without its port; an IPv6 address keeps its brackets."""
    key = url.split("/", 3)[2]
    return key if key[-1:] == "]" else key.rpartition(":")[0] or key


def origin(url: str) -> str:
    """Scheme, host and port, without a slash at the end."""
    return url[: url.index("/", 8)]


def home(url: str) -> str:
    """The root of the site."""
    return url[: url.index("/", 8) + 1]


def same_page(one: str, other: str) -> bool:
    """Whether two URLs can only be names of one page: /a, /a/ and /a/index.html."""
    return one == other or _shortest(one) == _shortest(other)


def _shortest(url: str) -> tuple[str, str]:
    address, _, query = url.partition("?")
    return _index_page("", address).rstrip("/"), query


def directory_level(url: str) -> int:
    """Number of directories in the path: two for /a/b/c.html and for /a/b/, none for /."""
    return sum(1 for part in _path(url).split("/")[:-1] if part)


def extension(url: str) -> str:
    """The ending of the last part of the path in lower case, or an empty string."""
    stem, _, ending = _path(url).rpartition("/")[2].partition(";")[0].rpartition(".")
    return ending.lower() if stem else ""


def _path(url: str) -> str:
    return url.partition("?")[0].split("/", 3)[3]


def surt(url: str) -> str:
    """The key that web archives sort by: host reversed and without www, the rest in lower case, query sorted.

    As pywb and the Internet Archive make it from the same URL, so that their tools find our pages.
    """
    _, _, authority, rest = url.split("/", 3)
    name, colon, port = (authority, "", "") if authority[-1:] == "]" else authority.partition(":")
    if authority[:1] != "[":
        name = ",".join(reversed((_www("", name) if name[:3] == "www" else name).split(".")))
    path, _, query = rest.partition("?")
    path = "/" + _slashes("/", "/" + _barely_escaped(path)).lower().strip("/")
    if not query:
        return f"{name}{colon}{port}){path}"
    ordered = "&".join(sorted(_barely_escaped(query).lower().split("&"), key=lambda one: one.split("=", 1)))
    return f"{name}{colon}{port}){path}?{ordered}"


def _barely_escaped(text: str) -> str:
    """Only blanks, controls, non-ASCII, # and % stay escaped; the archives' tools undo the rest."""
    if "%" not in text:
        return text
    data = text.encode()
    while (decoded := unquote_to_bytes(data)) != data:
        data = decoded
    return quote_from_bytes(data, safe="!\"$&'()*+,/:;<=>?@[\\]^`{|}")


# The list in the package takes 50 ms to read, so it is read at the first use.
_suffixes = lru_cache(maxsize=1)(PublicSuffixList)


def registrable_domain(host: str) -> str:
    """The part of a host name that is registered; an IP address or a bare suffix is returned as it is."""
    name = host.rstrip(".").lower()
    if "." not in name or is_ip(name):
        return name
    return _suffixes().privatesuffix(name) or name


_known_suffixes = lru_cache(maxsize=1)(lambda: PublicSuffixList(accept_unknown=False, only_icann=True))


def has_public_suffix(host: str) -> bool:
    """Whether a host name ends in a suffix of the public suffix list, below which names are registered."""
    try:
        name = host.rstrip(".").lower().encode("idna").decode("ascii")
    except UnicodeError:
        return False
    return _known_suffixes().privatesuffix(name) is not None


def domain_of(url: str) -> str:
    """The registrable domain of a URL."""
    return registrable_domain(hostname(url))


def without_password(url: str) -> str:
    """A URL as it may be shown: without the name and password, or token, before its host."""
    return re.sub(r"//[^/?#]*@", "//…@", url)


def is_ip(host: str) -> bool:
    """Whether a host is an IP address and not a name; IPv6 with or without its brackets."""
    if not (host[-1:].isdigit() or ":" in host):
        return False
    try:
        ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
