"""`kill -9` of a server under load: everything that it acknowledged is in the archive, once."""

import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from fieldmouse.store import create, open_inbox, open_reader
from fieldmouse.store.inbox_contract import Role
from tests.waiting import listens, until

SENDERS = 6


class Sender(threading.Thread):
    """Sends one page after the other; a page without an answer is sent again with its key."""

    def __init__(self, number: int, token: str) -> None:
        super().__init__()
        self.number, self.token = number, token
        self.port = 0  # of the server that runs now
        self.ended = threading.Event()
        self.acknowledged: dict[str, str] = {}  # URL → id of the submission
        self.trouble: list[str] = []

    def run(self) -> None:
        while not self.ended.is_set():
            url = f"https://killed.example/{self.number}/{len(self.acknowledged)}"
            try:
                answer = self._send(url)
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)  # it was killed; the next one is coming
                continue
            if answer[0] == 202:
                self.acknowledged[url] = answer[1]["id"]
            else:
                self.trouble.append(str(answer))
                return

    def _send(self, url: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        html = f"<title>{url}</title><p>Words of {url}, " + "more words " * 200
        body = json.dumps({"url": url, "html": html, "key": url, "comment": "kept"})
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        try:
            connection.request("POST", "/v1/pages", body, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


def started(folder: Path) -> tuple["subprocess.Popen[str]", int]:
    command = [sys.executable, "-m", "fieldmouse", "-C", str(folder), "serve", "--port", "0"]
    process = subprocess.Popen(
        [*command, "-s", "serve.rate=1e9", "-s", "archive.min_free=0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    port = urlsplit(process.stdout.readline().split()[-1]).port
    assert port
    until(lambda: listens("127.0.0.1", port), "the server accepts connections")
    return process, port


def kill_under_load(folder: Path, times: int, seed: int) -> int:
    """Kill the server so often; how many submissions it acknowledged, each of them checked."""
    create(folder, "", time.time())
    with open_inbox(folder) as inbox:
        token = inbox.add_token("ann", frozenset({Role.PUBLISH}), time.time())
    chance = random.Random(seed)
    senders = [Sender(number, token) for number in range(SENDERS)]
    for turn in range(times + 1):
        process, port = started(folder)
        for sender in senders:
            sender.port = port
            if turn == 0:
                sender.start()
        if turn < times:
            time.sleep(chance.uniform(0.05, 1.0))
            process.kill()
            process.communicate()
    until(lambda: any(one.acknowledged or one.trouble for one in senders), "a page is accepted")
    for sender in senders:
        sender.ended.set()
        sender.join()
    assert [one.trouble for one in senders if one.trouble] == []
    try:
        with open_inbox(folder) as inbox:
            until(lambda: not inbox.backlog().items, "the inbox is empty", 600)
    finally:
        process.terminate()
        process.communicate(timeout=120)
    assert process.returncode == 0
    acknowledged = {url: id_ for one in senders for url, id_ in one.acknowledged.items()}
    with open_reader(folder) as reader:
        for url, id_ in acknowledged.items():
            (record,) = reader.submissions.of_url(url)
            assert (record.id, record.state, record.comment) == (id_, "stored", "kept")
            page = reader.page(url)
            assert page is not None
            assert len(reader.versions(page)) == 1
            assert record.content_score is not None
    return len(acknowledged)


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    assert kill_under_load(tmp_path / "a", 3, seed=1) > 0


@pytest.mark.slow
def test_what_was_acknowledged_survives_fifty_kills(tmp_path: Path) -> None:
    assert kill_under_load(tmp_path / "a", 50, seed=2) > 500
