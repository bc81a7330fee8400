"""The tokenizer tests of html5lib against the tag index: the same tags, wherever both are defined."""

import json
import re
from pathlib import Path

import pytest

from fieldmouse.page import tags
from fieldmouse.page.charset import value_of
from fieldmouse.page.tags import attributes
from fieldmouse.types import Tag, TagIndex

FOLDER = Path(__file__).parent.parent / "data" / "html5lib-tests"

# What puts our tokenizer, which always begins in data, into the state a test begins in.
OPENERS = {
    "Data state": "",
    "RCDATA state": "<title>",
    "RAWTEXT state": "<style>",
    "Script data state": "<script>",
    "PLAINTEXT state": "<plaintext>",
    "CDATA section state": "<svg><![CDATA[",
}

# Where the index and the standard differ, all for one reason: a tag that never ends is in the index, up to
# the end of the page, and the standard drops it. docs/reference/tag-index.md has the same table.
NEVER_ENDS = {
    ("contentModelFlags.test", "End tag closing RCDATA or RAWTEXT (ending with space)", "RCDATA state"),
    ("contentModelFlags.test", "End tag closing RCDATA or RAWTEXT (ending with space)", "RAWTEXT state"),
    ("contentModelFlags.test", "End tag closing RCDATA or RAWTEXT (ending with slash)", "RCDATA state"),
    ("contentModelFlags.test", "End tag closing RCDATA or RAWTEXT (ending with slash)", "RAWTEXT state"),
    ("test4.test", "CR EOF in tag name", "Data state"),
    ("test4.test", "Slash EOF in tag name", "Data state"),
    ("test4.test", "EOF in tag name state ", "Data state"),
    ("test4.test", "EOF in before attribute name state", "Data state"),
    ("test4.test", "EOF in attribute name state", "Data state"),
    ("test4.test", "EOF in after attribute name state", "Data state"),
    ("test4.test", "EOF in before attribute value state", "Data state"),
    ("test4.test", "EOF in attribute value (double quoted) state", "Data state"),
    ("test4.test", "EOF in attribute value (single quoted) state", "Data state"),
    ("test4.test", "EOF in attribute value (unquoted) state", "Data state"),
    ("test4.test", "EOF in after attribute value state", "Data state"),
}


def unescaped(value):
    """Some tests are escaped twice, to hold characters that JSON cannot."""
    return json.loads(json.dumps(value).replace("\\\\u", "\\u"))


def cases():
    """Every test in every state it is for, as (file, description, state, input, expected tokens)."""
    for file in sorted(FOLDER.glob("*.test")):
        content = json.loads(file.read_text("utf-8"))
        for test in content.get("tests", content.get("xmlViolationTests", ())):
            deep = test.get("doubleEscaped", False)
            text, tokens = (unescaped(test[key]) if deep else test[key] for key in ("input", "output"))
            for state in test.get("initialStates", ["Data state"]):
                opener = OPENERS[state]
                if test.get("lastStartTag") and state != "Data state":
                    opener = f"<{test['lastStartTag']}>"
                yield file.name, test["description"], state, opener, text, tokens


ALL = list(cases())


def expected(tokens):
    """What the standard's tokenizer gives, less the characters."""
    for token in tokens:
        if token[0] == "StartTag":
            yield "start", token[1], token[2]
        elif token[0] == "EndTag":
            yield "end", token[1], {}
        elif token[0] in ("Comment", "DOCTYPE"):
            yield "other", "", {}


def found(engine, body):
    """What our index gives in the same form; values are None for a tag that never ends."""
    index = TagIndex(*engine.scan(body))
    for offset, length, distance, size in engine.unpack(*index, Tag):
        if not size:
            yield "other", "", {}
            continue
        start = offset + distance
        name = re.match(rb"[^\t\n\f\r />]*", body[start:])[0]
        assert min(len(name), 15) == size
        values = attributes(body[start + len(name) : offset + length + 1])
        yield "start" if distance == 1 else "end", spelled(name), spelled_values(values, distance)


def spelled(name):
    text = name.decode("utf-8", "replace").replace("\0", "\ufffd")
    return "".join(c.lower() if c.isascii() else c for c in text)


def spelled_values(values, distance):
    if values is None or distance == 2:
        return None if values is None else {}
    lines = re.compile(r"\r\n?")
    return {spelled(name): lines.sub("\n", value_of(value, "utf-8")) for name, value in values.items()}


def differences(engine):
    """The tests that differ; a difference for another reason fails at once."""
    for file, description, state, opener, text, tokens in ALL:
        ours = list(found(engine, (opener + text).encode("utf-8", "surrogatepass")))[opener.count("<") :]
        theirs = list(expected(tokens))
        if ours != theirs:
            last = ours.pop()
            assert (ours, last[2]) == (theirs, None), (file, description, state, text)
            yield file, description, state


@pytest.mark.parametrize("engine", tags.ENGINES)
def test_the_index_agrees_with_html5lib(engine):
    assert len(ALL) > 2800
    assert set(differences(engine)) == NEVER_ENDS


def test_the_exceptions_are_documented():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "tag-index.md").read_text("utf-8")
    rows = {f"| {file} | {description.strip()} | {state} |" for file, description, state in NEVER_ENDS}
    assert rows == set(re.findall(r"^\| \w+\.test \|.*\|$", page, re.MULTILINE))
