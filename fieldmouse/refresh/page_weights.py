"""How much the freshness of each page is worth to somebody, from a file."""

import csv
import math
from pathlib import Path

from fieldmouse.errors import ImportFailed


def read_weights(file: Path) -> dict[tuple[str, str], float]:
    """Weights from a CSV file with the columns site, page and weight."""
    weights = {}
    try:
        with file.open(encoding="utf-8", newline="") as text:
            reader = csv.DictReader(text, strict=True)
            if not {"site", "page", "weight"} <= set(reader.fieldnames or ()):
                raise ImportFailed(f"{file}, line 1: the first line must name the columns site, page, weight")
            for row in reader:
                weights[row["site"], row["page"]] = _weight(row["weight"], f"{file}, line {reader.line_num}")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ImportFailed(f"{file} cannot be read: {error}") from None
    return weights


def _weight(text: str | None, where: str) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = math.nan
    if not 0.0 <= value < math.inf:
        raise ImportFailed(f"{where}: a weight is a number from 0 on, not {text!r}")
    return value
