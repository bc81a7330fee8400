"""What must hold for every text whatsoever, and for every link of every page."""

from ada_url import URL
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse import urls

canon = urls.Canon()
BLANK = "".join(map(chr, range(33)))

# Pieces that matter to a URL parser, so that random texts are often nearly URLs.
NEARLY = """
    http:// https:// HTTP:// // / ? # & = % %% %4 %41 %2e %2E %2f %zz . .. ../ ./ a b/ A ~ : @ ; ;jsessionid=1
    example.com EXAMPLE.com. xn--bcher-kva.de bücher.de 127.0.0.1 0x7f.1 [::1] :80 :443 :8080 user:pw@
    utm_source=x sid=0123456789abcdef0123456789abcdef PHPSESSID=1 CFID=1&CFTOKEN=2 page=2 mailto: javascript:
    index.html é \\ ' " < ^ | { [ ] (S(abc))
"""
PIECES = st.sampled_from([*NEARLY.split(), " ", "\t", "\x00", "\ud800"])
MESSY = st.lists(PIECES, max_size=12).map("".join)
TEXTS = st.one_of(st.text(max_size=60), MESSY, MESSY.map("http://example.com/".__add__))
BASES = st.one_of(
    st.just("http://docs.example.com/guide/sub/index.html?x=1"),
    MESSY.map("https://example.com/".__add__),
    MESSY.map("http://user@example.com.:8080/a/b/".__add__),
)
often = settings(max_examples=200, deadline=None, derandomize=True)


@often
@given(TEXTS, st.one_of(st.none(), TEXTS))
def test_no_text_raises_and_what_comes_out_is_http(text, base):
    for url in (urls.parse(text, base), canon(text, base)):
        assert url is None or url.startswith(("http://", "https://"))


@often
@given(TEXTS)
def test_canonical_is_final(text):
    url = canon(text)
    assert url is None or canon(url) == url


@often
@given(TEXTS, BASES)
def test_canonical_of_a_join_is_final_and_valid(text, base):
    url = canon(text, base)
    if url is not None:
        assert canon(url) == url
        assert urls.parse(url) == url


@often
@given(TEXTS, BASES)
def test_joining_to_the_canonical_base_is_the_same(text, base):
    if (short := canon(base)) is not None:
        assert canon(text, base) == canon(text, short)


@often
@given(TEXTS, BASES, st.text(max_size=10))
def test_the_fragment_never_matters(text, base, fragment):
    assert canon(f"{text}#{fragment}", base) == canon(text, base)


@often
@given(BASES, st.lists(TEXTS, max_size=8))
def test_links_are_the_canonical_hrefs_in_order(base, hrefs):
    slow = [canon(href, canon(base)) for href in hrefs if href.partition("#")[0].strip(BLANK)]
    assert canon.links(base, hrefs) == list(dict.fromkeys(url for url in slow if url))


@often
@given(TEXTS, BASES)
def test_slices_agree_with_the_parser(text, base):
    url = canon(text, base)
    if url is None:
        return
    parsed = URL(url)
    assert urls.host_key(url) == parsed.host
    assert urls.hostname(url) == parsed.hostname
    assert urls.origin(url) == parsed.origin
    assert urls.home(url) == parsed.origin + "/"
    assert (parsed.username, parsed.password, parsed.hash) == ("", "", "")
    assert urls.is_ip(parsed.hostname) == (parsed.host_type != 0)


@often
@given(TEXTS, BASES)
def test_every_slice_takes_every_canonical_url(text, base):
    url = canon(text, base)
    if url is None:
        return
    assert ")/" in urls.surt(url)
    assert urls.surt(url) == urls.surt(url).lower()
    assert " " not in urls.surt(url)
    segments = [part for part in URL(url).pathname.split("/") if part]
    assert 0 <= urls.directory_level(url) <= len(segments)
    assert "/" not in urls.extension(url)
    host = urls.hostname(url)
    assert host.endswith(urls.registrable_domain(host))


@often
@given(st.text(alphabet="abc.[]:0129-ü", max_size=20))
def test_domains_of_any_text(host):
    urls.is_ip(host)
    domain = urls.registrable_domain(host)
    assert urls.registrable_domain(domain) == domain


@often
@given(
    st.lists(st.sampled_from(["id=1", "utm_source=a", "b", "=c", "gclid=", "UTM_Medium=x", ""]), max_size=6)
)
def test_what_is_no_noise_stays_in_its_order(parameters):
    url = canon("http://example.com/?" + "&".join(parameters))
    kept = [one for one in parameters if not one.lower().startswith(("utm_", "gclid"))]
    query = "&".join(kept)
    assert url == "http://example.com/" + (f"?{query}" if query else "")


FOLDERS = st.sampled_from(["http://a.test/", "http://a.test/b/", "http://a.test/b/c/", "https://a.test/b/"])
PLAIN = st.sampled_from(
    ["x.html", "../x.html", "./x.html", "/x.html", "../../x.html?utm_source=1", "http://b.test/"]
)


@often
@given(st.lists(st.tuples(FOLDERS, st.lists(st.one_of(PLAIN, TEXTS), max_size=6)), max_size=12))
def test_what_is_remembered_of_a_folder_is_what_is_found_anew(pages):
    used = urls.Canon()
    for base, hrefs in pages:
        assert used.resolved(base, hrefs) == urls.Canon().resolved(base, hrefs)
