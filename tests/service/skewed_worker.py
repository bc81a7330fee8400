"""A command with a clock that is set: python -m tests.service.skewed_worker AFTER SECONDS ARGUMENT...

It is wrong by so many seconds when the command has run for so long, from its beginning after 0.
"""

import sys
import time

after, ahead, right = time.monotonic() + float(sys.argv[1]), float(sys.argv[2]), time.time
time.time = lambda: right() + (ahead if time.monotonic() >= after else 0.0)  # type: ignore[assignment]

from fieldmouse.cli import main  # noqa: E402

sys.argv = ["fieldmouse", *sys.argv[3:]]
main()
