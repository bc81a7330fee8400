"""What holds while a crawl runs, and what is as before when it has ended."""

import gc

import pytest

from fieldmouse.crawl.garbage import OBJECTS
from fieldmouse.crawl.setup import run_loop
from fieldmouse.exits import Exit


def test_garbage_is_sought_seldom_while_a_crawl_runs_and_as_before_afterwards():
    before, frozen = gc.get_threshold(), gc.get_freeze_count()

    async def crawl(error: bool) -> Exit:
        assert gc.get_threshold()[0] == OBJECTS
        assert gc.isenabled()
        assert gc.get_freeze_count() > frozen
        if error:
            raise ValueError("the crawl fails")
        return Exit.DONE

    assert run_loop(crawl(error=False)) is Exit.DONE
    assert gc.get_threshold() == before
    with pytest.raises(ValueError, match="fails"):
        run_loop(crawl(error=True))
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
