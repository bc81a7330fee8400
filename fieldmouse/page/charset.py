"""From the bytes of a page to characters: its charset, decoding, and character references.

The charset is sniffed in the order of the HTML standard: a byte order mark, the charset of the Content-Type
header, a `meta` tag in the first 1024 bytes; then UTF-8 if the bytes are valid UTF-8, else windows-1252.
Labels are those of the Encoding Standard, so `latin1` means windows-1252, as in every browser.
"""

import html
import re
from functools import lru_cache
from html.entities import html5

from . import tags

PRESCAN = 1024  # bytes in which a `meta` tag must declare the charset
FALLBACK = "windows-1252"

# A Python codec, then the labels that mean it.
_TABLE = """
utf-8: unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8
cp866: 866 cp866 csibm866 ibm866
iso-8859-2: csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
iso-8859-3: csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3
iso-8859-4: csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4
iso-8859-5: csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988
iso-8859-6: arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e
iso-8859-6: iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
iso-8859-7: csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597
iso-8859-7: iso_8859-7 iso_8859-7:1987 sun_eu_greek
iso-8859-8: csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598
iso-8859-8: iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical
iso-8859-10: csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso-8859-13: iso-8859-13 iso8859-13 iso885913
iso-8859-14: iso-8859-14 iso8859-14 iso885914
iso-8859-15: csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9
iso-8859-16: iso-8859-16
koi8-r: cskoi8r koi koi8 koi8-r koi8_r
koi8-u: koi8-ru koi8-u
mac-roman: csmacintosh mac macintosh x-mac-roman
cp874: dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874
windows-1250: cp1250 windows-1250 x-cp1250
windows-1251: cp1251 windows-1251 x-cp1251
windows-1252: ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591
windows-1252: iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252 x-user-defined
windows-1253: cp1253 windows-1253 x-cp1253
windows-1254: cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5
windows-1254: windows-1254 x-cp1254
windows-1255: cp1255 windows-1255 x-cp1255
windows-1256: cp1256 windows-1256 x-cp1256
windows-1257: cp1257 windows-1257 x-cp1257
windows-1258: cp1258 windows-1258 x-cp1258
mac-cyrillic: x-mac-cyrillic x-mac-ukrainian
gb18030: chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030
big5hkscs: big5 big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp: cseucpkdfmtjapanese euc-jp x-euc-jp
iso-2022-jp: csiso2022jp iso-2022-jp
cp932: csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis
cp949: cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989
cp949: ksc5601 ksc_5601 windows-949
utf-16-be: unicodefffe utf-16be
utf-16-le: csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le
"""

LABELS = {
    label: codec
    for codec, _, labels in (line.partition(":") for line in _TABLE.strip().splitlines())
    for label in labels.split()
}
CODECS = frozenset(LABELS.values())

# In these a byte of `<` need not be a `<`, so a page is converted to UTF-8 before its tags are searched.
NOT_ASCII = frozenset({"utf-16-be", "utf-16-le", "iso-2022-jp"})

# In these charsets an ASCII byte may be half a character.
WIDE = frozenset({"gb18030", "big5hkscs", "euc-jp", "cp932", "cp949"})

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_PARAMETER = re.compile(
    r"charset[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r ;\"']++))", re.IGNORECASE
)

_REFERENCE = re.compile(r"&(?:#[0-9]++;?|#[xX][0-9a-fA-F]++;?|[A-Za-z][A-Za-z0-9]*+;?)")
_CONTROLS = "".join(map(chr, range(33)))
_LONGEST = 32  # characters; no name is longer


def sniff(content: bytes, content_type: str = "") -> str:
    """Return the Python codec for a page; always one that exists."""
    if content[:1] in b"\xef\xfe\xff":
        for mark, codec in _MARKS:
            if content.startswith(mark):
                return codec
    if codec := _in_header(content_type) or declared(content):
        return codec
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        # A truncated body may end within a character, but one lone byte is no sign of UTF-8.
        if error.reason != "unexpected end of data" or content[: error.start].isascii():
            return FALLBACK
    return "utf-8"


def _in_header(content_type: str) -> str:
    found = _PARAMETER.search(content_type) if content_type else None
    return codec_of(found[1] or found[2] or found[3] or "") if found else ""


def codec_of(label: str) -> str:
    """Return the codec that a label means, or an empty string."""
    return LABELS.get(label.strip("\t\n\f\r ").lower(), "")


def declared(content: bytes) -> str:
    """Return the codec that a `meta` tag at the top of a page names, or an empty string."""
    head = content[:PRESCAN]
    place = head.lower().find(b"charset")
    if place < 0:
        return ""
    start = head[: head.find(b">", place) + 1]
    return (b"<!-" not in start and _declared_in_start(start)) or _declared_in(head)


def _declared_in(head: bytes) -> str:
    for tag in tags.unpack(tags.index(head)):
        start = tag.offset + 1
        if tag.name_length != 4 or tag.name != 1 or head[start : start + 4].lower() != b"meta":
            continue
        found = tags.attributes(head[start + 4 : tag.offset + tag.length + 1]) or {}
        codec = ""
        if b"charset" in found:
            codec = codec_of(found[b"charset"].decode("latin-1"))
        elif found.get(b"http-equiv", b"").strip().lower() == b"content-type":
            codec = _in_header(found.get(b"content", b"").decode("latin-1"))
        if codec:
            # A page in UTF-16 could not have been scanned for this tag.
            return "utf-8" if codec.startswith("utf-16") else codec
    return ""


# Pages of a site share the bytes up to the first declaration.
_declared_in_start = lru_cache(256)(_declared_in)


def decode(content: bytes, charset: str) -> str:
    """Decode bytes; invalid ones become U+FFFD. Never raises."""
    text = content.decode(charset if charset in CODECS else "utf-8", "replace")
    return text.removeprefix("\ufeff")


def octets(content: bytes, charset: str) -> tuple[bytes, str]:
    """The bytes that are scanned for tags, and their codec: the content, or UTF-8 for `NOT_ASCII`."""
    if charset not in NOT_ASCII:
        return content, charset
    return decode(content, charset).encode("utf-8", "replace"), "utf-8"


def text_of(raw: bytes, charset: str) -> str:
    """Decode text between tags and resolve its character references."""
    text = decode(raw, charset).replace("\0", "")
    return _REFERENCE.sub(_in_text, text) if "&" in text else text


def value_of(raw: bytes, charset: str) -> str:
    """Decode the value of an attribute and resolve its character references."""
    text = decode(raw, charset).replace("\0", "\ufffd")
    return _REFERENCE.sub(_in_value, text) if "&" in text else text


def address_of(raw: bytes, charset: str) -> str:
    """Decode the value of an attribute that is a URL, without white space and controls around it."""
    return value_of(raw, charset).strip(_CONTROLS)


def _in_text(found: re.Match[str]) -> str:
    reference = found[0]
    if reference[1] == "#":
        return _number(reference)
    return html.unescape(reference[: _LONGEST + 2]) + reference[_LONGEST + 2 :]


def _in_value(found: re.Match[str]) -> str:
    """In a value `&copy=1` and `&copyright` stay as they are: they are common in old URLs."""
    reference = found[0]
    if reference[1] == "#":
        return _number(reference)
    if reference.endswith(";") or found.string[found.end() : found.end() + 1] != "=":
        return html5.get(reference[1:], reference)
    return reference


def _number(reference: str) -> str:
    digits = reference[2:].rstrip(";")
    sign = "x" if digits[0] in "xX" else ""
    digits = digits.lstrip("xX").lstrip("0")
    if len(digits) > 7:  # beyond Unicode
        return "\ufffd"
    return html.unescape(f"&#{sign}{digits or '0'};")
