"""The labelled web of the focus benchmark: what is left out, who is held out, and that it is served."""

import gzip
import json
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
import zstandard

from bench.focus import Plan, begin, breadth_first, crawl, guide_for, perfect, runs
from bench.focus_served import bodies, closed, serve, served
from bench.judge_scores import judged
from bench.labelled import SITE, Web, chosen, load, without_stubs
from bench.labelled_make import made, of_folder, write
from bench.university_web import WEEKS, UniversityShape, university
from fieldmouse.focus.wordnet import load as load_wordnet

OWLS = "owl feather nest wing beak prey night hunting plumage roost"
LAW = "court judge trial statute lawyer verdict appeal justice clause treaty"


def packed(file: Path, text: str) -> None:
    file.write_bytes(zstandard.ZstdCompressor().compress(text.encode()))


def page(path: str, words: str, links: list[str], kind: str = "article") -> dict[str, str]:
    anchors = "".join(f'<li><a class="x" href="{href}">{href[-12:-4]}</a>' for href in links)
    told = '<h3 id="siteSub">Related subjects: <a href="../index/owls.htm">Owls</a></h3>'
    return {"path": path, "kind": kind, "title": path, "html": f"<p>{words * 8}{told}<ul>{anchors}</ul>"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fifty owls and fifty laws; each links to the next two of its kind, and some to a picture."""
    folder = tmp_path_factory.mktemp("labelled")
    pages = [page("wp/index/owls.htm", "", ["../wp/o0.htm"], "index")]
    rows = ["path\tcategory"]
    for kind, words, subject in (("o", OWLS, "Nature.Owls"), ("l%28x%29", LAW, "Citizenship.Law")):
        for n in range(50):
            links = [f"{kind.replace('%', '%25')}{(n + step) % 50}.htm" for step in (1, 2)]
            links += (
                ["../images/1.htm", "http://elsewhere.test/", "../wp/index/owls.htm"] if n % 2 else ["o7.htm"]
            )
            pages.append(page(f"wp/{kind}{n}.htm", f"{words} ", links))
            rows.append(f"wp/{kind}{n}.htm\t{subject}")
    packed(folder / "pages.jsonl.zst", "\n".join(map(json.dumps, pages)))
    picture = {"path": "images/1.htm", "kind": "image", "title": "An <owl>", "text": "a picture"}
    packed(folder / "image_pages.jsonl.zst", json.dumps(picture))
    packed(folder / "links.tsv.zst", "src\tdst\tanchor\nimages/1.htm\twp/o1.htm\tback & forth\n")
    with gzip.open(folder / "categories.tsv.gz", "wt") as file:
        file.write("\n".join(rows))
    return folder


@pytest.fixture(scope="module")
def web(folder: Path) -> Web:
    return load(folder)


def test_what_tells_the_labels_is_left_out(web: Web) -> None:
    assert len(web.texts) == 101
    assert not any("index" in url for url in web.texts)
    assert not any("Related subjects" in text for text in web.texts.values())
    assert {link.url for links in web.links.values() for link in links} <= web.texts.keys()
    assert [link.url for link in web.links[SITE + "images/1.htm"]] == [SITE + "wp/o1.htm"]
    assert len(without_stubs(web).texts) == 100


def test_subjects_that_were_looked_at_are_not_held_out(web: Web) -> None:
    many = web._replace(texts=web.texts | {f"{SITE}more{n}": "" for n in range(400)})
    assert chosen(many, "final") == ["Nature.Owls"]
    assert chosen(many, "development") == ["Citizenship.Law"]
    both = many.subjects | {"People.Judges": many.subjects["Citizenship.Law"]}
    assert chosen(many._replace(subjects=both), "final") == ["Nature.Owls"]


def test_on_another_web_all_subjects_are_held_out(web: Web) -> None:
    other = web._replace(
        texts=web.texts | {f"{SITE}more{n}": "" for n in range(400)},
        subjects={"Science": web.subjects["Nature"], "Music": web.subjects["Citizenship"]},
    )
    assert chosen(other, "final") == chosen(other, "all") == ["Music", "Science"]


def test_a_small_subject_gives_half_of_its_pages_as_seeds(web: Web) -> None:
    few = web._replace(subjects={"owls": set(sorted(web.subjects["Nature.Owls"])[:6])})
    start = begin(few, "owls", Plan(10))
    assert (len(start.relevant), len(start.irrelevant)) == (3, 20)
    with pytest.raises(SystemExit, match="'birds' has 0 pages"):
        begin(few, "birds", Plan(10))


def test_links_and_columns_may_be_written_in_other_ways(tmp_path: Path) -> None:
    links = (
        "<a href=/h.test/b?id=1>one</a> <a id=x href='c%20d'>two</a> <A HREF = \"http://h.test/e\">three</A>"
    )
    pages = [{"path": path, "title": "", "html": links} for path in ("h.test/a", "h.test/b?id=1")]
    pages += [{"path": path, "title": "", "html": "<p>words"} for path in ("h.test/c d", "h.test/e")]
    packed(tmp_path / "pages.jsonl.zst", "\n".join(map(json.dumps, pages)))
    packed(tmp_path / "links.tsv.zst", "anchor\tdst\tsrc\n")
    with gzip.open(tmp_path / "categories.tsv.gz", "wt") as file:
        file.write("id\tcategory\tpath\n1\tA+B: 'c'\th.test/a\n")
    web = load(tmp_path)
    assert web.subjects == {"A+B: 'c'": {SITE + "h.test/a"}}
    assert [one.url for one in web.links[SITE + "h.test/a"]] == [
        SITE + path for path in ("h.test/b?id=1", "h.test/c d", "h.test/e")
    ]
    hrefs = [part.split('"')[0] for part in bodies(tmp_path)["h.test/a"].decode().split('href="')[1:]]
    assert hrefs == ["/h.test/b%3Fid=1", "/h.test/c%20d", "/h.test/e"]


@pytest.mark.parametrize("opaque", [False, True])
def test_a_folder_of_pages_is_a_labelled_web(tmp_path: Path, opaque: bool) -> None:
    for path, href in (
        ("birds/owls/a b.html", "../../law/b.html#x"),
        ("law/b.html", "../birds/owls/a%20b.html"),
    ):
        file = tmp_path / "html" / path
        file.parent.mkdir(parents=True)
        file.write_text(f'<p>{OWLS * 12}<a class="x" href="{href}">there</a>')
    assert write(tmp_path / "out", of_folder(tmp_path / "html", opaque)) == 2
    web = load(tmp_path / "out")
    assert set(web.subjects) == {"birds", "birds.owls", "law"}
    (owl,), (law,) = web.subjects["birds.owls"], web.subjects["law"]
    assert [one.url for one in web.links[owl]] == [law]
    assert [one.url for one in web.links[law]] == [owl]
    assert opaque is not ("owls" in owl)


def test_a_made_web_has_subjects_and_all_its_links_lead_somewhere(tmp_path: Path) -> None:
    first = [one for one, _ in zip(made(bare=True, seed=1), range(50), strict=False)]
    assert first == [one for one, _ in zip(made(bare=True, seed=1), range(50), strict=False)]
    assert len({one.subject for one in first}) > 10
    assert all(">*</a>" in one.html for one in first)


def test_an_equal_score_is_breadth_first(web: Web) -> None:
    plan = Plan(60, seeds=(2, 2), level=0)
    start = begin(web, "Nature.Owls", plan)
    guided = crawl(start, web, guide_for(start, web, "bfs", load_wordnet(), plan), plan.pages)
    assert guided == breadth_first(start, web, plan.pages)
    assert set(perfect(start, web, 48)) == start.targets - {*start.relevant}


def test_crawls_that_were_run_are_not_run_again(web: Web, tmp_path: Path) -> None:
    keep, plan = tmp_path / "kept.jsonl", Plan(20, seeds=(2, 2))
    first = list(runs(web, ["Nature.Owls"], ["bfs", "online by class"], plan, keep))
    lines = keep.read_text()
    assert list(runs(web, ["Nature.Owls"], ["bfs", "online by class"], plan, keep)) == [
        one._replace(seconds=round(one.seconds, 1)) for one in first
    ]
    assert keep.read_text() == lines


def test_the_web_is_served_and_closed(folder: Path, web: Web) -> None:
    server = serve(bodies(folder), 0)
    site = f"http://127.0.0.1:{server.server_port}/"
    try:
        for url in sorted(web.texts)[:30]:
            body = urlopen(served(url, site)).read().decode()
            assert "siteSub" not in body
            assert "elsewhere" not in body
        assert urlsplit(served(SITE + "wp/l%28x%290.htm", site)).path == "/wp/l%2528x%25290.htm"
        assert "back &amp; forth" in urlopen(site + "images/1.htm").read().decode()
        with pytest.raises(HTTPError, match="404"):
            urlopen(site + "wp/index/owls.htm")
    finally:
        server.shutdown()
        server.server_close()


def test_a_university_has_fields_behind_pages_that_have_none(tmp_path: Path) -> None:
    assert write(tmp_path, university(1)) > 4000, "enough for crawls of a thousand pages"
    web = load(tmp_path)
    labelled = set().union(*web.subjects.values())
    hubs = {SITE + f"d3/{name}.html" for name in ("index", "people", "courses", "news")}
    assert not labelled & hubs
    course = SITE + "d3/courses/100/index.html"
    assert course in {link.url for link in web.links[SITE + "d3/courses.html"]}
    assert course in web.subjects["kind.course"]
    field = next(name for name, pages in web.subjects.items() if course in pages and "kind" not in name)
    assert {course.replace("index", name) for name in WEEKS} <= web.subjects[field]
    assert len({url.split("/")[3] for url in web.subjects[field]}) > 1, "a field lies across departments"
    reached = {SITE + "index.html"}
    fresh = list(reached)
    while fresh:
        found = {link.url for url in fresh for link in web.links[url]} - reached
        reached |= found
        fresh = list(found)
    assert reached == web.texts.keys()
    assert field in chosen(web, "final")


def test_a_university_may_have_fields_with_one_member() -> None:
    small = UniversityShape(departments=3, people=1, courses=2, news=1)
    for seed in range(20):
        homes = [one.path for one in university(seed, small) if "kind.home" in one.subject]
        assert homes == [f"d{place}/~u0/index.html" for place in range(3)]


def test_a_served_page_has_no_link_that_leads_out_of_the_web() -> None:
    html = (
        '<link rel="next" href="gone.htm"><a class=x href=c.htm>c</a><a href="http://elsewhere.test/">e</a>'
    )
    body = closed("a/b.htm", html, {"a/b.htm", "a/c.htm"})
    assert body == b'<link rel="next" ><a class=x href="/a/c.htm">c</a><a >e</a>'


def test_the_verdicts_of_a_crawl_are_measured(web: Web) -> None:
    found = list(judged(web, ["Nature.Owls"], Plan(30, (5, 5))))
    assert [(one.order, one.judge) for one in found] == [
        (order, judge) for order in ("focused", "breadth first") for judge in ("both", "logistic", "ridge")
    ]
    assert all(one.figures.shares == () for one in found), "thirty pages are too few"
    assert found[3].figures.auc > 0.9
    assert found[3].figures.f1 > 0.9, "pages of ten different words are not thin if the examples have ten"
