"""Which region a host belongs to: its registrable domain first, then where its links are.

The Web graph is divided as it is discovered, a host at a time, as in linear deterministic greedy
partitioning (Stanton and Kliot 2012): a host goes where most of its links are, weighed by the room that is
left there. A decision is made once, with the links that are known then, and stored with its reason.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

# A region may have this many times the mean number of hosts before links count no more.
SLACK = 1.2
ROOM = 20  # hosts that a small region may have beyond that


class UndividedHost(NamedTuple):
    """A host without a region, and what speaks for each region."""

    domain: str
    siblings: Mapping[str, int]  # hosts of its registrable domain, by region
    links: Mapping[str, int]  # links from and to the hosts of each region
    country: str = ""  # of its address; empty if it is not known


class RegionPriors(NamedTuple):
    """What belongs to each region before anything was measured."""

    domains: Mapping[str, Sequence[str]]  # top-level domains
    countries: Mapping[str, Sequence[str]]  # of addresses


NO_PRIORS = RegionPriors({}, {})


def chosen_part(host: UndividedHost, sizes: Mapping[str, int], priors: RegionPriors) -> tuple[str, str]:
    """The region of a host and why; `sizes` has the regions that are up."""
    known = {name: count for name, count in host.siblings.items() if name in sizes}
    if known:
        return max(sorted(known), key=known.__getitem__), f"other hosts of {host.domain} are there"
    suffix = host.domain.rpartition(".")[2]
    for name in sorted(sizes):
        if suffix in priors.domains.get(name, ()):
            return name, f"domains in .{suffix} belong there"
    for name in sorted(sizes):
        if host.country and host.country in priors.countries.get(name, ()):
            return name, f"its address is in {host.country}, which belongs there"
    most = SLACK * (sum(sizes.values()) + 1) / len(sizes) + ROOM
    pull = {name: host.links.get(name, 0) * max(0.0, 1.0 - size / most) for name, size in sizes.items()}
    best = max(sorted(pull), key=pull.__getitem__)
    if pull[best] > 0:
        whole = sum(host.links.values())
        return best, f"{host.links[best]} of its {whole} links are from and to hosts there"
    return min(sorted(sizes), key=sizes.__getitem__), "it has the fewest hosts"
