"""A command with a wrong clock: python -m tests.service.skewed_worker SECONDS ARGUMENT..."""

import sys
import time

ahead, right = float(sys.argv[1]), time.time
time.time = lambda: right() + ahead  # type: ignore[assignment]

from fieldmouse.cli import main  # noqa: E402

sys.argv = ["fieldmouse", *sys.argv[2:]]
main()
