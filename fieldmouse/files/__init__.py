"""Append-only files that survive a crash: WARC, CDXJ, tag index, crawl log, packs."""
