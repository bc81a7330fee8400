"""Network access: DNS, HTTP, robots.txt, sitemaps and politeness."""
