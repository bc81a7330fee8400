"""The gate tries the same random examples every time; `make soak` tries others."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests import object_storage
from tests.object_storage import ObjectStorage, running_storage
from tests.postgres_cluster import Cluster, missing, running_cluster

settings.register_profile("gate", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("soak", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL server that all tests of this process share; each takes a database of its own."""
    if reason := missing():
        pytest.skip(reason)
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def storage() -> Iterator[ObjectStorage]:
    """A server of S3 for the tests of a module."""
    if reason := object_storage.missing():
        pytest.skip(reason)
    with running_storage() as one:
        yield one
