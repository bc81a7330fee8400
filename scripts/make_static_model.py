"""Makes the static classifier that ships with the program, from a change history whose licence allows it.

python -m scripts.make_static_model HISTORY "name and licence of the data"
"""

import sys
from datetime import UTC, datetime
from pathlib import Path

from fieldmouse.learn.learner import TrainingRecord
from fieldmouse.refresh.change_history import load
from fieldmouse.refresh.rate_groups import cluster
from fieldmouse.refresh.static_classifier import (
    DEFAULT,
    GROUPS,
    SEVEN,
    StaticExample,
    balanced,
    error_rate,
    features,
    fit,
    labelled,
    make_classifier,
    split,
)

TARGET = Path(__file__).parents[1] / "fieldmouse" / "refresh" / "static.json"

# A history knows neither headers nor the depth of a page; a tree must not ask for them.
KNOWN = tuple(name for name in SEVEN if name not in ("has_last_modified", "depth"))


def main(folder: Path, data: str) -> None:
    """Train, test on pages held out, write."""
    history = load(folder)
    labels = labelled(history, range(len(history.pages)), history.end)
    grouping = cluster(labels.values(), GROUPS)
    rows = features(history, set(labels))
    places = [SEVEN.index(name) for name in KNOWN]
    examples = [
        StaticExample(
            tuple(rows[place][at] for at in places), grouping.nearest(days), history.pages[place].site
        )
        for place, days in labels.items()
        if place in rows
    ]
    train, tests = split(examples, 2 / 3, 1)
    error = error_rate(fit(make_classifier(DEFAULT, KNOWN, grouping), balanced(train, 1)), tests)
    model = fit(make_classifier(DEFAULT, KNOWN, grouping), balanced(examples, 1))
    date = datetime.now(UTC).date().isoformat()
    model.training = TrainingRecord(data, date, {"error_on_other_pages": error})
    TARGET.write_bytes(model.save())
    sys.stdout.write(
        f"{TARGET}: {model.examples_seen} pages, {error:.1%} wrong, groups at {grouping.centres}\n"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
