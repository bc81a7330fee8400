"""Limits of pages, alone and together with other workers."""

from fieldmouse.crawl.page_limit import PageLimit


def test_one_worker() -> None:
    limit = PageLimit(3)
    assert [limit.allows(n) for n in range(5)] == [True, True, True, False, False]
    assert not limit.reached(2, 1)
    assert limit.reached(3, 0)
    assert PageLimit(0).allows(10**9)
    assert not PageLimit(0).reached(10**9, 0)


def test_what_one_worker_leaves_the_others_may_visit() -> None:
    counts = [0, 0, 0]
    first, second, third = (PageLimit(10, counts, own) for own in range(3))
    assert first.allows(7)
    assert second.allows(2)
    assert not third.allows(1)
    assert not third.reached(0, 1), "it waits for an answer"
    assert third.reached(1, 0)
    second.count(0)  # what it had begun was no page
    assert first.allows(8)
    assert not first.allows(9)
