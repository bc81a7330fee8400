"""The four hops of a page: lease, fetch, study, commit."""
