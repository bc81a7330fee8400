"""Pages that try to hurt a tokenizer, and a way to damage others; used by several tests."""

import random

GOOD = b"""<!DOCTYPE html><html lang="en-GB"><head><meta charset="utf-8"><title>A &amp; B</title>
<base href="/docs/"><link rel="canonical" href="https://example.com/a"><link rel="alternate stylesheet"
href=x><link rel=next href=2.html><meta name="robots" content="noindex"><meta http-equiv=refresh content="5;
url='b'"><style>a > b { content: "</b>" }</style><script>if (a < b && c > d) write("<a href='x'>")</script>
<script><!-- <script> </script> --></script></head><body class="a>b"><!-- <a href=no> --><p>Hi<br/>there
<a href="one.html?a=1&amp;b=2" rel="nofollow noopener">One</a> <A HREF='two'>T<b>w</b>o</A> <a
href=three>3</a><img src="i.png" alt="pic"><svg><title>no</title><style/><![CDATA[ <a href=cdata> ]]></svg>
<map><area href="/area" alt="Area"></map><iframe src="frame.html"><a href=hidden></iframe><template><a
href=t>x</a></template><textarea><a href=raw></textarea> mail me@example.org or <a
href="mailto:you@example.org">you</a>
\xf0\x9f\x90\xad caf\xc3\xa9 \x00 &lt;tag&gt;</p><h1 id=long-custom-name><my-very-long-custom-element x>y
</my-very-long-custom-element></h1></body></html>"""

FRAGMENTS = (
    b"<", b">", b"/", b"!", b"?", b'"', b"'", b"=", b"-", b" ", b"\t", b"\r\n", b"\x0b", b"\x00", b"&",
    b";", b"<a ", b"<a href=", b'<a href="', b"<!--", b"-->", b"--!>", b"<!", b"<?", b"</", b"</>",
    b"]]>", b"<![CDATA[", b"<script>", b"</script>", b"<SCRIPT ", b"</script", b"<title>", b"</title >",
    b"<style/>", b"<textarea>", b"<svg>", b"</svg>", b"<svg/>", b"<math>", b"<template>",
    b"</template>", b"<plaintext>", b"<iframe src=x>", b"<meta http-equiv=refresh content=0;x>",
    b"<meta name=Robots content=none>", b"<base href=b>", b"<img>", b"<link rel=alternate href=l>",
    b"href=h", b"rel=nofollow", b"mailto:a@b.cc", b"&amp;", b"\xff", b"\xf0\x9f\x90\xad", b"word", b"x",
    b"A", b"<b>", b"</p>", b"<br>", b"<noscript>", b"<xmp>", b"<h\x11>", b"<a\x00 href=q>",
    b"<html lang=x>",
)  # fmt: skip

REPEATED = (
    b"<a ", b"<", b"</", b"<!--", b"<!", b"<?", b"<a b='", b'<a b="', b"<a b=", b"<a / ", b"<a b = ",
    b"</>", b"<script>", b"<script><!--", b"<!--<script>", b"<title>", b"</title", b"<svg><![CDATA[",
    b"<a href=x>", b"<p>", b" ", b"/", b"-", b"<a//////////////////////////////////////////////////",
    b"<img", b"@", b"a@b.", b"a.", b"<meta ", b"&#9", b"<meta http-equiv=refresh content=' '>", b"<b> ",
    b"<template>", b"<!-- -- ", b"<!---", b"--!", b"&amp", b"<a href='&#x", b"<a =", b"charset=",
    b"<script><!--<script>--",
)  # fmt: skip


def soup(seed, pieces=60):
    """A page made of fragments that mean something, in an order that means nothing."""
    return b"".join(random.Random(seed).choices(FRAGMENTS, k=pieces))


def damaged(page, seed, times=8):
    """A page with some bytes cut, doubled or replaced by fragments."""
    chance = random.Random(seed)
    for _ in range(times):
        start = chance.randrange(len(page) + 1)
        end = min(len(page), start + chance.choice((0, 0, 1, 2, 5, 40)))
        page = page[:start] + chance.choice((b"", page[start:end] * 2, chance.choice(FRAGMENTS))) + page[end:]
    return page
