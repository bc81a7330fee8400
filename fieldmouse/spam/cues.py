"""Cues of parked pages: phrases in about twenty languages, and scripts of parking services.

No cue is proof: a blog may write about a domain for sale. `homepage` combines them, and `parking` needs them
on many domains of one server.
"""

import re
from typing import NamedTuple

OWN = "thisdomain"  # replaces the page's own domain in its text
_DOMAIN = (
    rf"(?:{OWN}|domain(?:s|name|e|in|namen)?|domain name|web ?address|web ?site name|this name|this url)"
)


class Cue(NamedTuple):
    """A pattern over text in lower case, and its weight as evidence, from 0 to 1."""

    name: str
    weight: float
    stems: tuple[str, ...]  # the pattern is searched only in a text with one of these
    pattern: re.Pattern[str]

    def found(self, text: str) -> bool:
        """Whether a text in lower case has this cue."""
        return any(stem in text for stem in self.stems) and self.pattern.search(text) is not None


def _cue(name: str, weight: float, stems: str, *patterns: str) -> Cue:
    return Cue(name, weight, tuple(stems.split("|")), _any(*patterns))


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns))


SALE = _cue(
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
    rf"(?:buy|purchase|own|acquire) {OWN} (?:now|today|for)",
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
    r"kup (?:tę|te) domen|domen[aęy][^.!?\n]{0,30}sprzeda|köp domän|køb (?:dette )?domæne|alan adı satılık",
    r"домен[^.!?\n]{0,40}прода|купить (?:этот )?домен|продажа домен",
    r"域名[^。\n]{0,12}(?:出售|转让|轉讓|購買|购买)",
    r"(?:出售|转让|购买)[^。\n]{0,8}域名|ドメイン[^。\n]{0,14}(?:販売|売|購入)|도메인[^.\n]{0,12}(?:판매|구매|구입)",
)
PARKED = _cue(
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
)
REGISTERED = _cue(
    "says only that the domain is registered",
    0.6,
    "regist|expir|renew|abgelaufen|scaduto|caducado|verlopen|зарегистрирован|истек",
    rf"{_DOMAIN}[^.!?\n]{{0,30}}(?:is|was|has been|been|wurde|ist|est|è|está) [^.!?\n]{{0,20}}"
    r"(?:registered|registriert|enregistré|registrado|registrato|geregistreerd)",
    rf"{_DOMAIN}[^.!?\n]{{0,30}}(?:has |is |ist |)(?:expired|abgelaufen|expiré|scaduto|caducado|verlopen)",
    r"(?:domain|name)[^.!?\n]{0,20}renewal|renew (?:this|your|the) domain"
    r"|домен[^.!?\n]{0,30}(?:зарегистрирован|истек)",
    r"registered (?:at|with|through|via) [\w .-]{2,30}$",
)
ADS = _cue(
    "lists advertisements",
    0.4,
    "related |sponsored|popular |resources|best |still can't|looking for|featured|advertiser|top searches"
    "|suchen|gesponsert|verwandte|recherches|liens |relacionad|weiterführ|correlat|sponsorizzat|gerelateerd"
    "|powiązan|похожие|相关|関連",
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
)
EMPTY = _any(
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
ERROR = _any(
    r"^(?:error )?[45]\d\d\b|(?:access|permission) denied|forbidden|not found|bad gateway"
    r"|service unavailable|bad request",
    r"internal server error|^(?:301|302) |moved permanently|object moved|document has moved"
    r"|attention required",
)

# Scripts and paths of parking services, searched in the bytes of a page in lower case.
MACHINERY = tuple(
    b"adsense/domains/caf google.ads.domains data-adblockkey window.park= lander_system /px.gif?ch= "
    b"sedoparking parkingcrew parklogic cdnpark domainpark domain-park domain_park parkingpage "
    b"parking-page parking_page parkedpage parked-page parking-lander parkinglander parked-domain "
    b"parkeddomain jsparkcaf /domain_profile domain-for-sale domain_for_sale domainforsale "
    b"/buy-domain /buy-this-domain /buydomain domainlander bodiscdn hugedomains afternic "
    b"undeveloped.com /dan.com/ .dan.com/ skenzo fwdservice dsparking dsredirect".split()
)

MOVED = re.compile(r"\bmoved\b|^30[1-8] |redirect")
PHRASES = (SALE, PARKED, REGISTERED, ADS)
