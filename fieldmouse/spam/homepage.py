"""Home pages as evidence of parking: shape, number of words, and cues of parked pages.

The cues are phrases in about twenty languages, and scripts of parking services. No cue is proof: a blog may
write about a domain for sale. `read_home_page` combines them, and `parking` needs them on many domains of one
server. A page is read once, from its bytes; its text is not kept.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fieldmouse import urls
from fieldmouse.page import charset, read
from fieldmouse.page.charset import octets
from fieldmouse.page.html_grammar import INLINE, pieces
from fieldmouse.types import Tag, TagIndex

from .page_frames import filling_frame
from .page_shapes import shape, unpacked
from .script_redirects import script_redirects

LONG = 400  # words; text above this lowers the score
SHORT = 60  # words; text below this raises the score
READ = 12_000  # characters of text in which phrases are searched
MOST = 1_000_000  # bytes of a page that are read
RAW = 300_000  # bytes in which scripts of parking services are searched
WORDLESS = 30  # words; the content of a page below this comes from its scripts and frames
THIN = 150  # words; a page with no more has little content of its own
PARKED = 0.6  # a page with this score or more looks parked

TITLED, BEGINS = "title is its own domain", "text starts with its own domain"
ONE_SITE = "all its links lead to one other site"
REGISTERED = "says only that the domain is registered"
ADVERTISES = "lists advertisements"
NO_SITE = "says that there is no website"
# Default pages of hosts have these too: without any other cue they prove nothing.
WEAK = frozenset({TITLED, BEGINS, ONE_SITE, NO_SITE})

_DESCRIPTION = re.compile(
    rb"<meta\s[^>]{0,200}?name\s*=\s*[\"']?description[\"']?[^>]{0,200}?content\s*=\s*[\"']([^\"'>]{0,400})",
    re.IGNORECASE,
)
_MOVED = re.compile(r"\bmoved\b|^30[1-8] |redirect")
_WORD = re.compile(r"\w+")
_RETURN_PARAMETER = re.compile(
    r"(?:return|next|redirect|continue|back|goto|origin|referr?er|callback|service)[\w.]*=", re.IGNORECASE
)
_SOURCE = re.compile(
    rb"<(?:script|iframe|frame)\s[^>]{0,400}?src\s*=\s*[\"']?((?:https?:)?//[^\"'\s>]{1,600})", re.IGNORECASE
)
_OWN = "thisdomain"  # replaces the page's own domain in its text
_DOMAIN = (
    rf"(?:{_OWN}|domain(?:s|name|e|in|namen)?|domain name|web ?address|web ?site name|this name|this url)"
)


class Cue(NamedTuple):
    """A pattern over text in lower case, and its weight as evidence, from 0 to 1."""

    name: str
    weight: float
    stems: tuple[str, ...]  # the pattern is searched only in a text with one of these
    pattern: re.Pattern[str]


def _cue(name: str, weight: float, stems: str, *patterns: str) -> Cue:
    return Cue(name, weight, tuple(stems.split("|")), _any(*patterns))


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns))


PHRASES = (
    _cue(
        "offers the domain for sale",
        0.8,
        "domain|domein|dominio|domínio|domæn|domän|domen|домен|域名|ドメイン|도메인|alan adı|web address"
        "|webaddress|internetadresse|this name|site name|this url|offer",
        rf"{_DOMAIN}[^.!?\n]{{0,40}}(?:(?:is|are|may be|might be|could be|now)[^.!?\n]{{0,20}} )?"
        r"(?:for sale|available for purchase|can be purchased|zu verkaufen|zum verkauf|te koop|til salgs?"
        r"|till salu"
        r"|à vendre|en venta|à venda|in vendita|na sprzeda|de vânzare|satılık|myytävänä|eladó|na prodej"
        r"|na predaj)",
        rf"(?:buy|purchase|own|get|acquire|inquire about|interested in|offer (?:for|on)|bid on|price (?:for"
        rf"|of)|lease)"
        rf" (?:this |the )(?:premium )?{_DOMAIN}\b",
        rf"(?:buy|purchase|own|acquire) {_OWN} (?:now|today|for)",
        rf"(?:make|submit|place)(?: an?| your)? offer\b[^.!?\n]{{0,60}}{_DOMAIN}",
        rf"{_DOMAIN}[^.!?]{{0,60}}(?:make|submit|place)(?: an?| your)? (?:offer|bid)\b",
        r"(?:submit|make an?) offer\n",
        r"(?:this|premium) domain (?:name )?(?:marketplace|is available|auction)|domain (?:broker"
        r"|marketplace) ",
        r"(?:diese|die) (?:domain|internetadresse)[^.!?\n]{0,40}(?:kaufen|erwerben|verkauf)|domain kaufen"
        r"|domain erwerben",
        r"(?:acheter|achetez) ce (?:nom de )?domaine|(?:nom de )?domaine[^.!?\n]{0,40}(?:à vendre|en vente)",
        r"compr(?:a|ar|e) (?:este|o|el) dom[íi]nio|dom[íi]nio[^.!?\n]{0,40}(?:en venta|à venda|se vende)",
        r"(?:acquista|compra) (?:questo|il) dominio|(?:koop|kopen) (?:dit|deze) domein"
        r"|domein(?:naam)? (?:is )?te koop",
        r"kup (?:tę|te) domen|domen[aęy][^.!?\n]{0,30}sprzeda|köp domän|køb (?:dette )?domæne"
        r"|alan adı satılık",
        r"домен[^.!?\n]{0,40}прода|купить (?:этот )?домен|продажа домен",
        r"域名[^。\n]{0,12}(?:出售|转让|轉讓|購買|购买)",
        r"(?:出售|转让|购买)[^。\n]{0,8}域名|ドメイン[^。\n]{0,14}(?:販売|売|購入)|도메인[^.\n]{0,12}(?:판매|구매|구입)",
    ),
    _cue(
        "says that the domain is parked",
        0.75,
        "park|парков|parque|parcheg|estacion",
        rf"(?:{_DOMAIN}|page|web ?site|site)[^.!?\n]{{0,50}}\b(?:is|are|has been|was|ist|est|é|está|è|er|är"
        rf"|is hier)\b"
        r"[^.!?\n]{0,30} (?:parked|geparkt|geparkeerd|parkert|parkeret|parkerad|parqueado|parcheggiato"
        r"|estacionado)",
        r"(?:parked|geparkt|geparkeerd|parkerad|parkert) (?:free|by|at|with|courtesy|for free|bei|bij|hos|via"
        r"|on|from)\b",
        r"(?:domain|name) parking|parked (?:domain|page|name)|parking page|page de parking|parkseite"
        r"|domainparking",
        r"домен[^.!?\n]{0,30}припаркован|парковочн|domena[^.!?\n]{0,30}zaparkowan|zaparkovan",
    ),
    _cue(
        REGISTERED,
        0.5,
        "regist|reserv|réserv|expir|renew|abgelaufen|scaduto|caducado|verlopen|enregistr|vastgelegd"
        "|rejestr|rezerw|rekister|regisztr|kayıtl|tescil|înregistr|зарегистрирован|истек|注册|註冊|取得|登録|등록",
        # Without an owner, a trade mark or a country after it, which pages in use name.
        rf"{_DOMAIN}[^.!?\n]{{0,30}}\b(?:is|was|has been|been)\b[^.!?\n]{{0,20}} (?:registered|reserved)"
        r"(?= (?:at|with|through|via|by|for|using|on behalf|and|but|here|from)\b|\s*(?:[.,;:!\n]|\Z))",
        rf"{_DOMAIN}[^.!?\n]{{0,30}}(?:has |is |ist |)"
        r"(?:expired|abgelaufen|expiré|scaduto|caducado|verlopen)",
        r"(?:domain|name)[^.!?\n]{0,20}renewal|renew (?:this|your|the) domain",
        r"registered (?:at|with|through|via) [\w .-]{2,30}$",
        rf"(?:{_DOMAIN}|internetadresse)[^.!?\n]{{0,60}}(?:registriert|reserviert)",
        rf"(?:{_OWN}|domaine)[^.!?\n]{{0,40}}(?:enregistré|réservé|déposé)",
        rf"(?:{_OWN}|domein)[^.!?\n]{{0,30}}(?:geregistreerd|gereserveerd|vastgelegd)",
        rf"(?:{_OWN}|domän|domene|domæne)[^.!?\n]{{0,30}}(?:registrer(?:ad|at|t|et)\b|reserver(?:ad|at|t|et)\b)",
        rf"(?:{_OWN}|dom[íi]nio)[^.!?\n]{{0,40}}(?:registrad[oa]|reservad[oa]|registrato|riservato)",
        rf"(?:{_OWN}|domen[ay]|doména|domény)[^.!?\n]{{0,40}}(?:zarejestrowan|zarezerwowan|registrov|zaregistrov)",
        rf"(?:{_OWN}|verkkotunnus|alan adı|domeniul)[^.!?\n]{{0,40}}"
        r"(?:rekisteröity|varattu|regisztrál|kayıtlı|kaydedil|tescil|înregistrat|rezervat)",
        r"домен[^.!?\n]{0,40}(?:зарегистрирован|истек)",
        r"域名[^。\n]{0,8}(?:已|被)[^。\n]{0,4}(?:注册|註冊)|ドメイン[^。\n]{0,30}(?:取得|登録)|도메인[^.\n]{0,20}등록",
    ),
    _cue(
        NO_SITE,
        0.3,
        "site|page|content",
        r"no (?:web ?)?site (?:is |has been )?(?:at|on|under|here|yet|configured|published)",
        r"(?:owner|customer|holder)[^.!?\n]{0,30}(?:has|have|does|did)(?: not|n't)[^.!?\n]{0,30}"
        r"(?:web ?site|page|content)",
    ),
    _cue(
        ADVERTISES,
        0.4,
        "related |sponsored|popular |resources|best |still can't|looking for|featured|advertiser|top searches"
        "|suchen|gesponsert|verwandte|recherches|liens |relacionad|weiterführ|correlat|sponsorizzat"
        "|gerelateerd|powiązan|похожие|相关|関連",
        r"related (?:searches|search|links|topics)|sponsored (?:listings?|links?|results)|popular (?:searches"
        r"|categories)",
        r"(?:resources|information) and (?:information|resources)|find the best (?:information|links)"
        r"|the best links",
        r"still can't find what|what you(?:'re| are) looking for|featured (?:directory|links)"
        r"|advertisers? (?:using|from)",
        r"the sponsored listings displayed|top searches|ähnliche suchen|gesponserte|verwandte (?:suchen|links"
        r"|themen)",
        r"recherches associées|liens (?:sponsorisés|relatifs)|búsquedas relacionadas|enlaces relacionados"
        r"|weiterführende links",
        r"link (?:correlati|sponsorizzati)|ricerche correlate|gerelateerde|powiązane|похожие запросы|相关搜索"
        r"|関連リンク",
    ),
)
_EMPTY = _any(
    r"welcome to (?:nginx|caddy|openresty|centos|tengine|lighttpd|your new (?:web ?site|server))"
    r"|^it works|test page for",
    r"(?:apache|nginx|iis|web server|http server)[^.\n]{0,60}(?:installed|default|test|works)|iis windows"
    r"|^iis\d",
    r"(?:default|placeholder|holding|welcome|index) (?:web ?)?page|default (?:web ?site|domain)"
    r"|domain default",
    r"coming soon|under ?construction|in costruzione|en construction|en construcción|im aufbau|in aanbouw"
    r"|w budowie",
    r"hier entsteht|site is being (?:built|updated|developed)|launching soon|opening soon|be back soon"
    r"|maintenance mode",
    r"not (?:yet )?(?:uploaded|published|configured)|future home of|web space is ready"
    r"|hosting account has been",
    r"account (?:has been )?suspended|index of /|powered by vesta|plesk|cpanel|directadmin|ispconfig"
    r"|no web ?site (?:is|at)",
    r"demnächst|bientôt|próximamente|em breve|prossimamente|binnenkort|kommer snart|wkrótce|скоро"
    r"|в разработке|建设中|準備中",
)
_ERROR = _any(
    r"^(?:error )?[45]\d\d\b|(?:access|permission) denied|forbidden|not found|bad gateway"
    r"|service unavailable|bad request",
    r"internal server error|^(?:301|302) |moved permanently|object moved|document has moved"
    r"|attention required",
)

# What follows the domain alone on a line of a page that sells it.
_PRICED = re.compile(
    rf"(?:^|\n)(?:www\.)?{_OWN}\n(?:[^\n]*\n){{0,4}}[^\n]*\b(?:(?:asking|minimum|fixed|starting|sale) price"
    r"|minimum offer|(?:make|submit|place|send)(?: us)?(?: an?| your)? (?:offer|bid)|price on request"
    r"|request (?:a|the) price|get (?:a|the) (?:price|quote)|buy (?:it )?now|contact the owner for)"
)
# Words of hosts that show frames for domains without a site.
_FOR_DOMAINS = re.compile(r"park(?:ing|ed)|domain|lander|landing|for-?sale|expired")

# Scripts and paths of parking services, searched in the bytes of a page in lower case.
MARKS = tuple(
    b"adsense/domains/caf google.ads.domains data-adblockkey window.park= lander_system /px.gif?ch= "
    b"sedoparking parkingcrew parklogic cdnpark domainpark domain-park domain_park parkingpage "
    b"parking-page parking_page parkedpage parked-page parking-lander parkinglander parked-domain "
    b"parkeddomain jsparkcaf /domain_profile domain-for-sale domain_for_sale domainforsale "
    b"/buy-domain /buy-this-domain /buydomain domainlander bodiscdn hugedomains afternic "
    b"undeveloped.com /dan.com/ .dan.com/ skenzo fwdservice dsparking dsredirect".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage:
    """The home page of a website, with the DNS records of its domain."""

    domain: str  # registrable
    shape: str
    score: float = 0.0  # how much it looks parked by itself, from 0 to 1
    cues: tuple[str, ...] = ()
    empty: bool = False  # a default, error or coming-soon page
    words: int = 0  # of the visible text
    target: str = ""  # the registrable domain it redirects to, if not its own
    name_servers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def parked(self) -> bool:
        """Whether it looks parked by itself."""
        return self.score >= PARKED

    @property
    def busy(self) -> bool:
        """Whether it has content of its own."""
        return not self.parked and not self.empty and self.words > THIN

    @property
    def hinted(self) -> bool:
        """Whether it has any cue that default pages of hosts do not have."""
        return any(cue not in WEAK for cue in self.cues)


def read_home_page(
    domain: str,
    content: bytes,
    *,
    content_type: str = "",
    index: TagIndex | None = None,
    moved_to: str = "",
    marks: Sequence[bytes] = MARKS,
    titles: bool = True,
) -> HomePage:
    """Read a home page; `moved_to` is the target of an HTTP redirect. Never raises.

    With other `marks`, or without `titles`, the effect of these cues can be measured.
    """
    if len(content) > MOST:
        content, index = content[:MOST], None
    facts = read.read(content, content_type=content_type, index=index)
    body, codec = octets(content, facts.charset)
    all_tags = unpacked(facts.index)
    text = _visible_start(body, codec, all_tags)
    if not titles and facts.title:
        text = text.replace(facts.title.lower(), " ", 1)
    words = len(_WORD.findall(text))
    raw = body[:RAW]
    description = _DESCRIPTION.search(raw)
    described = charset.value_of(description[1], codec).lower() if description else ""
    found = _text_cues(text, described, facts.title.lower() if titles else "", domain.lower())
    if _links_to_one_site(facts, domain):
        found[ONE_SITE] = 0.25
    target = moved_to or _redirect_target(facts, text)
    if words < WORDLESS and not target:
        found |= _frame_cues(filling_frame(body, codec, all_tags), domain)
        scripts = script_redirects(body, codec, all_tags, f"http://{domain}/")
        target = next((one.url for one in scripts if one.certain and one.delay <= 10), "")
    if _names_domain(target, domain):  # as marketplaces do
        found["sends visitors to another site with this domain in the URL"] = 0.6
    low = raw.lower()
    if any(mark in low for mark in marks):
        found["contains scripts of parking services"] = 0.7
    if marks and words < WORDLESS:
        sources = (charset.value_of(one, codec) for one in _SOURCE.findall(raw))
        if any(_names_domain(f"http:{one}" if one.startswith("//") else one, domain) for one in sources):
            found["content comes from another site with this domain in the URL"] = 0.4
    # Evidence combines like independent probabilities; much text lowers it.
    doubt = 1.0
    for weight in found.values():
        doubt *= 1.0 - weight
    if found and words < SHORT:
        doubt *= 0.85
    score = round((1.0 - doubt) * min(1.0, LONG / max(words, 1)), 4)
    if found.keys() <= WEAK:
        score = min(score, PARKED - 0.05)
    empty = score < PARKED and (
        not content.strip() or (len(text) < 4000 and bool(_EMPTY.search(text) or _ERROR.search(text)))
    )
    return HomePage(
        domain=domain,
        shape=shape(body, all_tags),
        score=score,
        cues=tuple(sorted(found, key=lambda one: (-found[one], one))),
        empty=empty,
        words=words,
        target=_other_domain(target, domain),
    )


def _visible_start(body: bytes, codec: str, all_tags: list[Tag]) -> str:
    """The beginning of the visible text in lower case, with the title first."""
    parts: list[str] = []
    room = READ
    for piece in pieces(body, all_tags):
        if piece.text and not piece.text.isspace():
            parts.append(charset.text_of(piece.text[:READ], codec))
            room -= len(parts[-1])
        if piece.name and piece.name not in INLINE:
            parts.append("\n")
        if room < 0:
            break
    lines = (" ".join(line.split()) for line in "".join(parts).lower().split("\n"))
    return "\n".join(line for line in lines if line)


def _text_cues(visible: str, described: str, title: str, domain: str) -> dict[str, float]:
    """The cues in a page's text and description with their weights."""
    text = f"{visible}\n{described}"
    bare = domain.removeprefix("www.")
    general = text.replace(bare, _OWN) if "." in bare else text
    found = {
        cue.name: cue.weight
        for cue in PHRASES
        if any(stem in general for stem in cue.stems) and cue.pattern.search(general)
    }
    if ADVERTISES in found and not _WORD.search(visible):  # the description says it, and nothing else does
        found["announces advertisements and has no text"] = 0.4
    body = general.removeprefix(f"{title.replace(bare, _OWN)}\n") if title and "." in bare else general
    if _PRICED.search(body[:2000]):
        found["shows its own domain with a price or an offer form"] = 0.5
    if bare and title.startswith((bare, f"welcome to {bare}", f"www.{bare}")):
        found[TITLED] = 0.3
    elif bare and text.lstrip().startswith((bare, f"welcome to {bare}")):
        found[BEGINS] = 0.2
    return found


def _redirect_target(facts: read.Facts, text: str) -> str:
    """The target of a fast meta refresh, or the only link of a page that just says that it has moved."""
    kinds = []
    if facts.refresh_delay is not None and facts.refresh_delay <= 10:
        kinds.append("refresh")
    if facts.links == 1 and len(text) < 400 and _MOVED.search(text):
        kinds.append("a")
    return next(
        (href.value for kind in kinds for href in facts.hrefs if href.kind == kind and href.value), ""
    )


def _links_to_one_site(facts: read.Facts, domain: str) -> bool:
    """Whether all links of a page lead to one other site, as those of a registrar's page do."""
    sites: set[str] = set()
    for href in facts.hrefs:
        value = href.value.strip()
        if href.kind == "a" and value and not value.startswith(("#", "mailto:", "tel:", "javascript:")):
            sites.add(_other_domain(value, domain) if "//" in value[:8] else "")
            if len(sites) > 1:
                return False
    return bool(sites) and "" not in sites


def _frame_cues(shown: str, domain: str) -> dict[str, float]:
    """The cues of the URL of a frame that fills the window."""
    shown = f"http:{shown}" if shown.startswith("//") else shown
    if _names_whole(shown, domain):
        return {"a frame that fills the window has this domain in its URL": 0.65}
    if _for_domains(shown, domain):
        return {"a frame that fills the window shows a service for domains": 0.55}
    return {}


def _names_whole(target: str, domain: str) -> bool:
    """Whether the URL of another site contains this whole domain, and not as the URL to return to."""
    rest = target.partition("://")[2].partition("/")[2].lower()
    bare = re.escape(domain.removeprefix("www.").lower())
    named = "." in bare and re.search(rf"(?<![a-z0-9-]){bare}(?![a-z0-9-])", rest) is not None
    return bool(named and _other_domain(target, domain) and not _RETURN_PARAMETER.search(rest))


def _for_domains(target: str, domain: str) -> bool:
    """Whether the host of a URL is named like a service for domains, and this domain is not."""
    host = target.partition("://")[2].partition("/")[0].lower()
    return bool(
        _other_domain(target, domain)
        and _FOR_DOMAINS.search(host)
        and not _FOR_DOMAINS.search(domain.lower())
    )


def _other_domain(target: str, domain: str) -> str:
    """The registrable domain of a URL, or an empty string if it is the same as that of `domain`."""
    url = urls.parse(target) if target else None
    other = urls.registrable_domain(urls.hostname(url)) if url else ""
    return other if other != urls.registrable_domain(domain) else ""


def _names_domain(target: str, domain: str) -> bool:
    """Whether a URL of another site contains this domain, and not as the URL to return to."""
    if not _other_domain(target, domain):
        return False
    label = domain.removeprefix("www.").partition(".")[0].lower()
    rest = target.partition("://")[2].partition("/")[2].lower()
    named = len(label) > 2 and re.search(rf"(?<![a-z0-9-]){re.escape(label)}(?![a-z0-9-])", rest) is not None
    return named and not _RETURN_PARAMETER.search(rest)
