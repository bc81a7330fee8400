"""What the tests of this room share."""

from collections.abc import Iterator

import pytest

from tests.postgres_cluster import Cluster, missing, running_cluster


@pytest.fixture(scope="module")
def own_cluster() -> Iterator[Cluster]:
    """A server that the tests of a module may restart."""
    if reason := missing():
        pytest.skip(reason)
    with running_cluster() as cluster:
        yield cluster
