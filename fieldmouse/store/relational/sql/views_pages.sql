-- Views on pages, their versions, visits and changes, for the queries of users.
-- A column is one line: its expression, its name, its type, its meaning. iso(x) is a time as ISO 8601 text.

-- view: pages
-- One row for each page with stored content, as it is now. Private pages are there too: `private` marks them.
SELECT
  p.url AS url, -- TEXT canonical URL
  h.name AS host, -- TEXT host, with its port unless that is the default one
  domain_of(h.name) AS domain, -- TEXT registrable domain of the host
  iif(p.title = '', coalesce(d.title, ''), p.title) AS title, -- TEXT title; that in the properties of a PDF file
  p.language AS language, -- TEXT language that the page declares, as it declares it
  v.mime AS mime, -- TEXT media type of the content
  v.status AS status, -- INTEGER HTTP status of the content: that of the response it came with, never 304
  p.status AS last_status, -- INTEGER HTTP status of the last visit; 304: not modified; 0: no response
  p.trouble AS last_error, -- TEXT why the last visit failed: dns, connect, timeout, tls, ...; empty if it did not
  v.size AS size, -- INTEGER bytes of the content
  unpacked((SELECT t.data FROM page_text AS t WHERE t.page = p.id)) AS content, -- TEXT main text, without the template of the host; NULL until the host is cleaned
  d.length AS content_length, -- INTEGER characters of the main text
  iso((SELECT n.time FROM version AS n WHERE n.id = d.version)) AS content_time, -- TIME when the main text was fetched; older than last_changed until the host is cleaned again
  d.published AS published, -- TEXT date or time of publication that the page states, as ISO 8601
  d.modified AS modified, -- TEXT date or time of the last modification that the page states
  d.author AS author, -- TEXT authors, separated by commas
  d.type AS type, -- TEXT type of what it is about: Article, Product, Event, ...
  unpacked(d.data) AS data, -- JSON its JSON-LD, microdata, OpenGraph and meta tags
  p.text_bytes AS text_bytes, -- INTEGER bytes of all visible text, with menus
  iso(p.first_seen) AS first_seen, -- TIME first visit
  iso(p.last_visit) AS last_checked, -- TIME last visit
  iso(p.last_change) AS last_changed, -- TIME when the newest content was first fetched
  iso(p.due) AS next_check, -- TIME when it is due for the next visit; NULL: it is not visited again
  p.rate AS change_rate, -- REAL estimated changes a day
  p.visits AS visits, -- INTEGER number of visits
  p.versions AS versions, -- INTEGER number of stored versions
  p.weight AS weight, -- REAL how much its freshness counts; 1 is the default
  p.depth AS depth, -- INTEGER links followed from an entry point of the host
  p.via AS found_via, -- TEXT where its URL was found: a page, a sitemap, a file, or seed
  (SELECT max(j.score) FROM judgement AS j WHERE j.page = p.id) AS topic_score, -- REAL best score of all topics; above 0.5 it is on topic
  (SELECT json_group_object(j.topic, round(j.score, 4)) FROM judgement AS j WHERE j.page = p.id) AS topics, -- JSON score by topic
  (SELECT c.class FROM page_class AS c WHERE c.page = p.id AND c.class <> '' ORDER BY c.probability DESC, c.class LIMIT 1) AS class, -- TEXT its most probable class by the classifier of `train classes`
  (SELECT json_group_object(c.class, round(c.probability, 4)) FROM page_class AS c WHERE c.page = p.id AND c.class <> '') AS classes, -- JSON probability by class
  iif(h.state IN ('parked', 'redirect_spam'), h.state, '') AS host_spam, -- TEXT why its host is spam: parked, redirect_spam; else empty
  d.spam_score AS spam_score, -- INTEGER spam score of the main text, 0 to 99 (spam); NULL: not scored, see spam.score_pages
  coalesce(d.spam, 0) AS spam, -- BOOLEAN 1: above spam.content_threshold when it was scored
  (SELECT c.copy_of FROM copy AS c WHERE c.page = p.id) AS copy_of, -- TEXT URL of the page that this one is a copy of
  p.private AS private, -- BOOLEAN 1: it never leaves the archive by an export, a feed or a search
  p.id AS id -- INTEGER number of the page in this archive
FROM page AS p JOIN host AS h ON h.id = p.host JOIN version AS v ON v.id = p.version
LEFT JOIN document AS d ON d.page = p.id;

-- view: urls
-- One row for each requested URL, also those that failed, moved or were not stored.
SELECT
  p.url AS url, -- TEXT canonical URL
  h.name AS host, -- TEXT host
  p.version IS NOT NULL AS stored, -- BOOLEAN 1: there is content of it, in `pages`
  p.status AS last_status, -- INTEGER HTTP status of the last visit; 0: no response
  p.trouble AS last_error, -- TEXT why the last visit failed; empty if it did not
  iso(p.first_seen) AS first_seen, -- TIME first visit
  iso(p.last_visit) AS last_checked, -- TIME last visit
  iso(p.due) AS next_check, -- TIME when it is due for the next visit; NULL: it is not visited again
  p.visits AS visits, -- INTEGER number of visits
  p.misses AS misses, -- INTEGER last visits in a row that found no content
  p.via AS found_via, -- TEXT where it was found: a page, a sitemap, a file, or seed
  p.private AS private, -- BOOLEAN 1: its newest content never leaves the archive
  p.id AS id -- INTEGER number of the page in this archive
FROM page AS p JOIN host AS h ON h.id = p.host;

-- view: versions
-- One row for each stored state of a page's content.
SELECT
  p.url AS url, -- TEXT canonical URL
  iso(v.time) AS time, -- TIME when it was fetched
  v.status AS status, -- INTEGER HTTP status
  v.mime AS mime, -- TEXT media type
  v.charset AS charset, -- TEXT character encoding
  v.size AS size, -- INTEGER bytes of the content
  v.digest AS digest, -- TEXT SHA-1 of the body as transferred, in base 32
  v.id = p.version AS newest, -- BOOLEAN 1: the newest version of its page
  f.name AS warc_file, -- TEXT file with its record
  v."offset" AS warc_offset, -- INTEGER where the record begins in that file
  v.length AS warc_length, -- INTEGER length of the record
  v.origin AS origin, -- TEXT crawler, or reader: what the browser of a reader showed
  v.damaged AS damaged, -- TEXT why its record cannot be read; empty if it can
  v.private AS private, -- BOOLEAN 1: it never leaves the archive
  p.id AS page, -- INTEGER number of its page
  v.id AS id -- INTEGER number of the version
FROM version AS v JOIN page AS p ON p.id = v.page JOIN file AS f ON f.id = v.file;

-- view: visits
-- One row for each request for a page, and its result.
SELECT
  p.url AS url, -- TEXT canonical URL
  h.name AS host, -- TEXT host
  iso(v.time) AS time, -- TIME when the request began
  v.status AS status, -- INTEGER HTTP status; 0: no response
  v.trouble AS error, -- TEXT why it failed; empty if it did not
  v.changed AS changed, -- BOOLEAN 1: what a reader sees had changed
  v.known_by AS known_by, -- TEXT how that is known: first, digest, 304, status, error, control
  v.change_size AS change_size, -- REAL share of the words that differ and count
  v.kinds AS kinds, -- TEXT kinds of the change: numbers, words, items added, items removed, links; separated by commas
  v.gap AS gap, -- REAL seconds since the visit it is compared with
  v.took AS took, -- REAL seconds that it took
  v.size AS bytes, -- INTEGER bytes received
  v.note AS note, -- TEXT explanation
  p.id AS page -- INTEGER number of its page
FROM visit AS v JOIN page AS p ON p.id = v.page JOIN host AS h ON h.id = p.host;

-- view: changes
-- One row for each visit that found a change that a reader can see.
SELECT
  p.url AS url, -- TEXT canonical URL
  h.name AS host, -- TEXT host
  p.title AS title, -- TEXT title as it is now
  iso(v.time) AS time, -- TIME when the change was found
  iso(v.time - v.gap) AS unchanged_at, -- TIME the visit before, when it was not there yet
  v.change_size AS size, -- REAL share of the words that differ and count
  v.kinds AS kinds, -- TEXT numbers, words, items added, items removed, links; separated by commas
  (SELECT json_group_array(json_object('place', coalesce(nullif(d.value ->> 'label', ''), nullif(substr(d.element, length(rtrim(d.element, replace(d.element, '>', ''))) + 1), ''), 'page'), 'path', d.value ->> 'place', 'before', d.value ->> 'old', 'after', d.value ->> 'new', 'kind', d.value ->> 'kind', 'rule', d.value ->> 'rule')) FROM (SELECT e.value AS value, substr(e.value ->> 'place', 1, instr((e.value ->> 'place') || ' (', ' (') - 1) AS element FROM json_each(iif(v.diff = '', '[]', v.diff)) AS e) AS d WHERE d.value ->> 'kind' IS NOT NULL) AS diff, -- JSON the differences: place (its label or innermost element), path (all elements), before, after, kind, and the rule for each that does not count
  v.note AS note, -- TEXT why it counts
  p.private AS private, -- BOOLEAN 1: it never leaves the archive
  p.id AS page -- INTEGER number of its page
FROM visit AS v JOIN page AS p ON p.id = v.page JOIN host AS h ON h.id = p.host
WHERE v.changed;
