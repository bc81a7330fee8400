"""The features of a log, against their definitions."""

from pathlib import Path

import pytest

from bench.behaviour_features import defined_row, main

WHEN = "01/Aug/2015:{hour:02}:{minute:02}:00 +0000"
LINE = "192.0.2.{user} - - [" + WHEN + '] "GET /{page} HTTP/1.1" 200 {size} "-" "M"\n'


def test_the_features_of_a_log_are_as_defined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "access.log"
    visits = [(n % 7, n * 7 % 24, n * 13 % 60, n % 5, 100 + n // 90) for n in range(400)]
    log.write_text(
        "".join(
            LINE.format(user=user, hour=hour, minute=minute, page=page, size=size)
            for user, hour, minute, page, size in sorted(visits, key=lambda one: one[1:3])
        ),
        "utf-8",
    )
    assert main([str(log)]) == 0
    shown = capsys.readouterr().out
    assert "400 visits" in shown
    assert "revisit_delay_median" in shown


def test_the_definition_on_a_log_worked_by_hand() -> None:
    hours = {1: [2, 5, 30], 2: [6, 54], 3: [40]}
    row = defined_row({user: [at / 24 for at in times] for user, times in hours.items()}, 0.0, 3.0)
    assert row[:7] == pytest.approx([6, 2.0, 3, 1.0, 3, 2, 1.0])
    assert [24 * one for one in row[7:]] == pytest.approx([3, 48, 25.3333, 25, 18.373], abs=5e-4)
