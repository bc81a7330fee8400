"""What the floors are about: the figures of a run by name.

A part that was run smaller than its floors were measured gives its figures other names, for a small web is
cheap and easy.
"""

import argparse
from collections.abc import Sequence
from typing import Any

from . import labels, refresh
from .parts import EACH
from .peers import OURS, Row
from .scale import Plan


def figures(results: dict[str, Any], rows: Sequence[Row]) -> dict[str, float]:
    """What the floors are about, by name."""
    found: dict[str, float] = {}
    for row in rows:
        if row.peer == OURS and not row.limit:
            found[f"{row.web}.cpu_per_1000"] = round(row.cpu_per_1000, 3)
            found[f"{row.web}.complete"] = row.complete
            found[f"{row.web}.peak_mb"] = row.peak_mb
    ours = {(row.web, row.limit): row.cpu_per_1000 for row in rows if row.peer == OURS}
    for row in rows:
        if row.peer != OURS and (row.web, row.limit) in ours:
            ratio = row.cpu_per_1000 / ours[row.web, row.limit]
            part = f"_first_{row.limit}" if row.limit else ""
            found[f"{row.web}.{row.peer}_over_ours{part}"] = round(ratio, 3)
    if pipeline := results.get("pipeline"):
        found |= {f"pipeline.{name}": value for name, value in pipeline["figures"].items()}
    for web, measured in results.get("workers", {}).get("webs", {}).items():
        found[f"workers.{web}_seconds_ratio"] = measured["ratios"]["seconds"]
        found[f"workers.{web}_busiest_ratio"] = measured["ratios"]["busiest"]
    if scale := results.get("scale"):
        # A small web is cheap: its figures must not become the floors of the large one.
        part = "scale" if scale["hosts"] >= Plan().hosts else f"scale_{scale['hosts']}"
        found[f"{part}.cpu_us_per_link"] = scale["ingest"]["cpu_us_per_link"]
        found[f"{part}.resident_mib"] = scale["resident_mib"]["peak"]
        found[f"{part}.lease_p99_ms"] = scale["lease_1"]["p99_ms"]
        found[f"{part}.lease_p99_cpu_ms"] = scale["lease_1"]["p99_cpu_ms"]
    if live := results.get("live"):
        for name in ("true", "estimated", "within_bounds"):
            found[f"live.{live['web']}.{name}"] = live[name]
    found |= thinking_figures(results)
    if page := results.get("page"):
        engines = page["engines"]
        found["page.parse_again_over_stored"] = engines.get("c", engines["python"])["parse_again_over_stored"]
    return found | template_figures(results.get("templates") or {})


def thinking_figures(results: dict[str, Any]) -> dict[str, float]:
    """Figures of refresh, noise, changes, facts, focus, labels and parked hosts."""
    found: dict[str, float] = {}
    if focus := results.get("focus"):
        found["focus.link_us"] = focus["cost"]["link_us"]
        for who, times in focus["ours_over"].items():
            found |= {f"focus.{key}_over_{who.replace(' ', '_')}": value for key, value in times.items()}
    found |= labels.named(results.get("labels") or {}, labels.MILLION)
    found |= {f"parked.{name}": value for name, value in results.get("parked", {}).items()}
    for part in ("noise", "changes", "fact_recall"):
        if measured := results.get(part):
            found |= {name: round(value, 3) for name, value in measured["figures"].items()}
    replayed = refresh.figures(results.get("refresh", []))
    found |= {name: round(value, 4) for name, value in replayed.items()}
    return found


def named(found: dict[str, float], given: argparse.Namespace) -> dict[str, float]:
    """The figures, those of parts that were run smaller under other names."""
    smaller = {"focus.": given.topics, "parked.": given.websites}
    if given.each != EACH:
        smaller["noise.series_"] = given.each
    renamed = {}
    for name, value in found.items():
        size = next((size for start, size in smaller.items() if name.startswith(start)), None)
        part, _, rest = name.partition(".")
        renamed[name if size is None else f"{part}_{size}.{rest}"] = value
    return renamed


def template_figures(measured: dict[str, Any]) -> dict[str, float]:
    """What the floors say about templates; sets that were not given are not judged."""
    if not measured:
        return {}
    found = {
        "templates.align_5000_ms": measured["align 5000 tokens ms"],
        "templates.demo_token_f1": measured["demo tokens"]["all hosts"]["f1"],
        "templates.distil_1000_pages_s": measured["large host"]["distil s"],
    }
    content = measured.get("content", {})
    if news := content.get("big9_2005_2013", {}).get("sites"):
        found["templates.big9_f1"] = news["template and form"]["f1"]
        found["templates.big9_saved"] = measured["storage"]["big9_2005_2013"]["saved"]
        if "trafilatura" in news:
            ratio = news["template and form"]["f1"] / news["trafilatura"]["f1"]
            found["templates.big9_f1_over_trafilatura"] = round(ratio, 3)
    for name in ("dragnet", "readability", "cleaneval_dev", "trafilatura_eval"):
        if name in content:
            found[f"templates.{name}_f1"] = content[name]["form alone"]["f1"]
    if manuals := content.get("manuals", {}).get("sites"):
        found["templates.manuals_f1"] = manuals["template and form"]["f1"]
    return found
