-- Views on hosts, links, redirects, templates and crawls, for the queries of users. See views_pages.sql.

-- view: hosts
-- One row for each known host, crawled or only linked to.
SELECT
  h.name AS host, -- TEXT name, with its port unless that is the default one
  domain_of(h.name) AS domain, -- TEXT registrable domain
  h.state AS state, -- TEXT waiting, open, resting, complete, given_up, outside (of the scope), parked, redirect_spam
  h.reason AS reason, -- TEXT why it is in this state
  iso(h.paused_at) AS paused, -- TIME since when it is paused by a person; NULL: it is not
  h.seed > 0 AS seed, -- BOOLEAN 1: a seed is on it
  (SELECT count(*) FROM page AS p WHERE p.host = h.id AND p.version IS NOT NULL) AS pages, -- INTEGER pages with stored content
  h.pending AS pending, -- REAL estimated pages not fetched yet
  h.in_hosts AS in_hosts, -- INTEGER other hosts that link here
  h.in_links AS in_links, -- INTEGER links from other hosts
  h.ip AS ip, -- TEXT last IP address; empty if it was never resolved
  iso(h.first_seen) AS first_seen, -- TIME when it was first linked to or given
  iso(nullif(h.closed_at, 0)) AS closed, -- TIME when its crawl last ended
  iso(nullif(h.ready_at, 0)) AS ready, -- TIME until then it is left alone
  iso((SELECT c.time FROM cleaned_host AS c WHERE c.host = h.id)) AS cleaned, -- TIME when templates and copies were last looked for
  h.id AS id -- INTEGER number of the host in this archive
FROM host AS h;

-- view: links
-- One row for each pair of hosts with links from one to the other. Links of single pages are not stored.
SELECT
  s.name AS source, -- TEXT host with the links
  t.name AS target, -- TEXT host they lead to
  l.links AS links -- INTEGER number of links
FROM host_link AS l JOIN host AS s ON s.id = l.source JOIN host AS t ON t.id = l.target;

-- view: redirects
-- One row for each redirect of a page: by HTTP, in the HTML, or by a script.
SELECT
  r.source AS source, -- TEXT URL that redirects
  r.target AS target, -- TEXT URL it leads to
  r.kind AS kind, -- TEXT http, header, meta, script, frame
  r.delay AS delay, -- REAL seconds before it takes place
  r.certain AS certain, -- BOOLEAN 0: a script decides
  r.target_domain <> '' AS leaves_domain, -- BOOLEAN 1: to another registrable domain
  iso(r.time) AS last_seen -- TIME when it was last seen
FROM redirect AS r;

-- view: templates
-- One row for each version of the templates of a host.
SELECT
  h.name AS host, -- TEXT host
  t.version AS version, -- INTEGER 1, 2, ...; the highest is in use
  iso(t.time) AS time, -- TIME when they were made
  t.reason AS reason, -- TEXT why they were made
  t.pages AS pages, -- INTEGER pages of the host at that time
  t.templates AS templates, -- INTEGER number of templates
  t.template_bytes AS bytes, -- INTEGER bytes of all of them
  CASE WHEN t.page_bytes > 0 THEN 1.0 * t.shared_bytes / t.page_bytes END AS share -- REAL share of the bytes of pages that is template
FROM template AS t JOIN host AS h ON h.id = t.host;

-- view: crawls
-- One row for each crawl, refresh, daemon run and import.
SELECT
  r.kind AS kind, -- TEXT crawl, refresh, run, import
  iso(r.began) AS began, -- TIME start
  iso(r.ended) AS ended, -- TIME end; NULL: it is running, or it was interrupted
  r.result AS result, -- TEXT how it ended: done, stopped, size limit, ...; running; interrupted
  r.visits AS visits, -- INTEGER requests, or imported captures
  r.pages AS pages, -- INTEGER pages stored for the first time
  r.changes AS changes, -- INTEGER changes found
  r.failures AS failures, -- INTEGER failed requests
  r.bytes AS bytes, -- INTEGER bytes received
  r.id AS id -- INTEGER 1, 2, ...
FROM run AS r WHERE r.result <> 'running'
UNION ALL
SELECT r.kind, iso(r.began), NULL, r.result,
  coalesce((SELECT value FROM tally WHERE name = 'visits'), 0) - r.visits,
  coalesce((SELECT value FROM tally WHERE name = 'stored'), 0) - r.pages,
  coalesce((SELECT value FROM tally WHERE name = 'changes'), 0) - r.changes,
  coalesce((SELECT value FROM tally WHERE name = 'failures'), 0) - r.failures,
  coalesce((SELECT value FROM tally WHERE name = 'body_bytes'), 0) - r.bytes, r.id
FROM run AS r WHERE r.result = 'running';
