"""PageRank of hosts in our own crawl: the paper's future work asks if it tells how pages change."""

from collections.abc import Iterable

DAMPING, ROUNDS = 0.85, 40


def page_rank(edges: Iterable[tuple[str, str]]) -> dict[str, float]:
    """The rank of each host, by links between hosts; all ranks together are 1."""
    out: dict[str, list[str]] = {}
    for source, target in edges:
        out.setdefault(source, []).append(target)
        out.setdefault(target, [])
    if not out:
        return {}
    rank = dict.fromkeys(out, 1 / len(out))
    for _ in range(ROUNDS):
        loose = sum(rank[name] for name, targets in out.items() if not targets)
        new = dict.fromkeys(out, (1 - DAMPING + DAMPING * loose) / len(out))
        for name, targets in out.items():
            for target in targets:
                new[target] += DAMPING * rank[name] / len(targets)
        rank = new
    return rank
