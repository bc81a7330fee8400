"""A live run in small: the daemon keeps a web fresh whose truth is known, and spends its budget on it."""

import json
from pathlib import Path

import zstandard

from bench.live import recorded, town


def test_a_town_is_kept_fresh_within_its_budget(tmp_path: Path) -> None:
    run = town(tmp_path / "a", boards=20, days=9, share=0.12)
    found = run.figures()
    assert run.most_in_a_day <= run.budget
    assert run.fetches_a_day >= 0.8 * run.budget, "what is not spent is lost"
    assert found["pages"] >= 200
    assert 0.75 < found["true"] < 1.0


def test_recorded_snapshots_are_served_and_kept_fresh(tmp_path: Path) -> None:
    """Two pages of one host: one changes every second day, one never, though its bytes do."""
    text = "The ferry leaves the quay at dawn and comes back at noon with the market women and their fish."
    rows = []
    for page, every in (("News", 2), ("Terms", 1000)):
        for day in range(20):
            word = "abcdefghijklmnop"[day // every % 16] * 9
            changed, time = int(day % every == 0), f"2024-06-{day + 1:02}T00:00:00Z"
            row = {"site": "quay", "page": page, "url": f"https://quay.example/{page}", "kind": "M"}
            html = f"<h1>{page}</h1><p>{text}</p><p>Edition {word} came out.</p>"
            rows.append({**row, "time": time, "content_changed": changed, "html": html})
    data = tmp_path / "data"
    data.mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (data / "replay.jsonl.zst").write_bytes(zstandard.compress(lines))
    run = recorded(tmp_path / "a", data, days=10, share=1.0)
    assert run.pages == 3, "with the list that leads to them"
    assert run.most_in_a_day <= run.budget == 2
    assert 0.5 < float(str(run.figures()["true"])) <= 1.0
