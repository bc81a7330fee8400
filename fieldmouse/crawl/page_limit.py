"""How many pages a run may visit, counted over all of its workers."""

from collections.abc import MutableSequence


class PageLimit:
    """A limit of pages; 0 for none.

    Workers of one run have the `counts` of all of them in common, and each writes only its own. There is no
    lock, which a worker that is killed would keep: two that start their last requests in the same moment can
    exceed the limit by one.
    """

    def __init__(self, most: int, counts: MutableSequence[int] | None = None, own: int = 0) -> None:
        self.most = most
        self.counts = [0] if counts is None else counts
        self.own = own

    def count(self, pages: int) -> None:
        """This worker has visited so many pages, or visits them now."""
        self.counts[self.own] = pages

    def allows(self, pages: int) -> bool:
        """Whether another page may be visited, beyond so many of this worker."""
        self.count(pages)
        return not self.most or sum(self.counts) < self.most

    def reached(self, visited: int, under_way: int) -> bool:
        """Whether this worker is done: nothing is left for it, and it waits for no answer."""
        if not self.most or visited >= self.most:
            return bool(self.most)
        return not under_way and not self.allows(visited)
