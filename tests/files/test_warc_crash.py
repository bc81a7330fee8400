"""A writer is killed with SIGKILL again and again; whoever comes next finds every committed record once."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

from fieldmouse.files.append_only import repair, replace
from fieldmouse.files.warc_reader import records
from fieldmouse.files.warc_writer import payload_digest
from tests.store.answers import answer, writer

ROOT = Path(__file__).parents[2]
KILLS = 6


def ledger(folder: Path) -> dict:
    """Stands for the database: replaced whole or not at all."""
    path = folder / "ledger.json"
    return json.loads(path.read_bytes()) if path.exists() else {"files": {}, "done": 0}


def crawl(folder: Path) -> None:
    """Write batches of numbered answers until killed."""
    state, warcs = ledger(folder), folder / "warc"
    repair(warcs, state["files"], aside=folder / "aside")
    with writer(warcs, size=6000) as warc:
        if state["files"]:
            name = max(state["files"])
            warc.open(name, state["files"][name])
        while True:
            for number in range(state["done"], state["done"] + 7):
                body = b"%d " % number + b"x" * (number % 300)
                warc.write(answer(body), digest=payload_digest(body))
            state["files"].update(warc.sync())
            state["done"] += 7
            replace(folder / "ledger.json", [json.dumps(state).encode()])
            warc.commit()
            sys.stdout.write(".")
            sys.stdout.flush()


def test_nothing_is_lost_torn_or_stored_twice(tmp_path):
    (tmp_path / "warc").mkdir()
    rng = random.Random(5)
    command = [sys.executable, "-m", "tests.files.test_warc_crash", str(tmp_path)]
    for _ in range(KILLS):
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
            process.stdout.read(1)  # at least one batch, then any instant
            time.sleep(rng.uniform(0, 0.03))
            process.kill()
    state = ledger(tmp_path)
    repair(tmp_path / "warc", state["files"], aside=tmp_path / "aside")
    files = sorted((tmp_path / "warc").iterdir())
    assert [path.name for path in files] == sorted(state["files"])
    found = [one for path in files for one in records(path)]  # raises on the first damage
    numbers = [int(one.body.split()[0]) for one in found if one.type == "response"]
    assert numbers == list(range(state["done"]))
    assert state["done"] >= 7 * KILLS


if __name__ == "__main__":
    crawl(Path(sys.argv[1]))
