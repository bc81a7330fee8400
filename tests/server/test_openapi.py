"""The API against its own description: random requests, valid and not, get only documented answers."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fieldmouse.server.api import ENDPOINTS
from fieldmouse.server.api_schema import URL, invalid
from fieldmouse.server.openapi import document
from tests.server.running import Client, running

GOOD_CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
)
CHECKS = f"{GOOD_CHECKS},negative_data_rejection,unsupported_method,ignored_auth"

# What good requests must get to.
REACHED = (("/v1/pages", "POST", 202), ("/v1/visits", "POST", 202), ("/v1/known", "GET", 200))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("openapi") / "a"
    with running(folder, **{"serve.rate": 1e9}) as client:
        for number in range(3):
            client.post(
                "/v1/pages", {"url": f"https://a.example/{number}", "html": "<p>x", "key": str(number)}
            )
        yield client


def schemathesis(server: Client, *options: str, schema: str = "", checks: str = CHECKS) -> None:
    """One worker: Python 3.11 may fail with a SystemError when two threads parse source at once."""
    program = str(Path(sys.executable).with_name("schemathesis"))
    command = [
        program, "run", schema or server.address.url + "v1/openapi.json", "--url", server.address.url,
        "--checks", checks, "--workers", "1", "--phases", "examples,coverage,fuzzing",
        "-H", f"Authorization: Bearer {server.token}", *options,
    ]  # fmt: skip
    quiet = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=server.folder, env=quiet)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_random_requests(server: Client) -> None:
    schemathesis(server, "--max-examples", "4", "--generation-deterministic")


def narrowed(schema: Any) -> Any:
    """A part of the document with addresses that are good, and few ids, of versions that may be there."""
    if isinstance(schema, list):
        return [narrowed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("name") == "id":
        return {**schema, "schema": {"type": "string", "pattern": "^[1-9]$"}}
    if schema.get("examples") == URL["examples"]:
        return {**schema, "pattern": "^https?://[a-c][.]example/[!-~]{0,40}$"}
    return {name: narrowed(one) for name, one in schema.items()}


def good_requests(server: Client, *options: str) -> None:
    """Requests that fit the document also get past the checks of addresses, to what they are for."""
    file = server.folder.parent / "narrowed.json"
    file.write_text(json.dumps(narrowed(document(ENDPOINTS))))
    schemathesis(server, "--mode", "positive", *options, schema=str(file), checks=GOOD_CHECKS)
    counts = server.get("/metrics").body.decode()
    for route, method, status in REACHED:
        assert f'requests_total{{route="{route}",method="{method}",status="{status}"}}' in counts, route


def test_random_good_requests(server: Client) -> None:
    good_requests(server, "--max-examples", "10", "--generation-deterministic")


@pytest.mark.slow
def test_many_random_requests(server: Client) -> None:
    """Five minutes of them; the time is what is said, not the number of requests."""
    schemathesis(server, "--max-time", "200")
    good_requests(server, "--max-time", "100")


def test_the_document_is_served_to_everybody(server: Client) -> None:
    answer = Client(server.address, server.folder).get("/v1/openapi.json")
    assert answer.json == json.loads(json.dumps(document(ENDPOINTS)))
    named = {(one.path, one.method) for one in ENDPOINTS}
    assert ("/v1/pages", "POST") in named
    assert len({one.name for one in ENDPOINTS}) == len(ENDPOINTS)


@pytest.mark.parametrize("endpoint", [one for one in ENDPOINTS if one.bodies], ids=lambda one: one.name)
def test_our_check_of_bodies_agrees_with_json_schema(endpoint: object) -> None:
    """The check is our own; a library for JSON Schema judges the same values alike."""
    schema = endpoint.bodies["application/json"]  # type: ignore[attr-defined]
    validator = Draft202012Validator(schema)
    good = {"url": "https://a.example/", "tags": ["x"], "seen": 5, "key": "k", "private": True}
    visits = {"visits": [{"url": "https://a.example/", "time": 1}]}
    values: list[object] = [good, visits, {}, [], None, 1, "x", {**good, "x": 1}, {**visits, "visits": []}]
    values += [{**good, name: value} for name in (*good, "comment", "html") for value in BAD]
    values += [
        {"visits": [{**visits["visits"][0], name: value}]} for name in ("url", "time") for value in BAD
    ]
    for value in values:
        assert (not invalid(value, schema)) == validator.is_valid(value), value


BAD = (None, 1, -1, 1.5, True, "", "x" * 20_000, ["x"] * 51, ["\x00"], [1], [], {}, "\x00", "a\nb", "é", "ok")
