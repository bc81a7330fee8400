"""The gate tries the same random examples every time; `make soak` tries others."""

import os

from hypothesis import settings

settings.register_profile("gate", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("soak", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))
