-- Queries of the crawl, by name.

-- name: property
SELECT value FROM property WHERE name = :name;

-- name: set_property
INSERT INTO property VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: tallies
SELECT name, value FROM tally;

-- name: add_tally
INSERT INTO tally VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value;

-- name: files
SELECT id, name, kind, worker, size, open FROM file ORDER BY id;

-- name: open_file
SELECT id, name, size FROM file WHERE kind = :kind AND worker = :worker AND open = 1 ORDER BY id DESC LIMIT 1;

-- name: put_file
INSERT INTO file (name, kind, worker, size, open) VALUES (:name, :kind, :worker, :size, :open)
ON CONFLICT (name) DO UPDATE SET size = excluded.size, open = excluded.open
RETURNING id;

-- name: last_page
SELECT coalesce(max(id), 0) FROM page;

-- name: last_version
SELECT coalesce(max(id), 0) FROM version;

-- name: lock_hosts
-- SQLite has one writer at a time: there is nothing to lock.
SELECT :hosts;

-- name: free_leased_hosts
-- Leased hosts go back to the state before. A complete host that was borrowed for a refresh waits again if new
-- pages were found on it.
UPDATE host SET state = CASE
  WHEN l.state = 'complete' AND EXISTS (SELECT 1 FROM site WHERE site.host = host.id) THEN 'waiting'
  ELSE l.state END
FROM lease AS l
WHERE l.host = host.id AND host.id IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts));

-- name: expired_lease
SELECT 1 FROM lease WHERE expires_at <= :clock AND worker <> :alive LIMIT 1;

-- name: expired_leases
SELECT host FROM lease WHERE expires_at <= :clock AND worker <> :alive;

-- name: leases_of
SELECT host FROM lease WHERE worker = :worker;

-- name: left_leases
SELECT host FROM lease;

-- name: lost_at_most
-- Pages that a worker that died may have requested without committing them.
SELECT (SELECT count(*) FROM page AS p JOIN lease AS l ON l.host = p.host WHERE p.due <= :now)
     + (SELECT count(*) FROM site AS s JOIN lease AS l ON l.host = s.host);

-- name: wake_hosts
-- Hosts whose rest is over come back to the queue.
UPDATE host SET state = 'waiting' WHERE state IN ('resting', 'given_up', 'parked') AND ready_at <= :now;

-- name: revisit_complete
UPDATE host SET state = 'waiting', fetched = 0, turns = 0, pending = max(pending, 1)
WHERE state IN ('complete', 'given_up') AND id IN (SELECT host FROM site);

-- name: revisit_pages
-- Sitemaps are read again because robots.txt names them.
INSERT OR IGNORE INTO site (host, url, depth, hops, via, trail, score, etag, last_modified)
SELECT host, url, depth, 0, via, replace(trail, 'D', ''), 0.0,
       CASE WHEN version IS NULL THEN '' ELSE etag END, CASE WHEN version IS NULL THEN '' ELSE last_modified END
FROM page WHERE status NOT IN (404, 410) AND via <> 'robots.txt';

-- name: candidates
-- The best hosts without a lease; not those at an IP address that another worker visits.
SELECT id, name, epoch + 1, seed, fetched, coalesce((SELECT data FROM host_noise AS n WHERE n.host = host.name), x'') FROM host
WHERE state = 'waiting' AND paused_at IS NULL
  AND priority >= :least
  AND (ip = '' OR NOT EXISTS (SELECT 1 FROM lease WHERE lease.ip = host.ip AND lease.worker <> :worker))
ORDER BY priority DESC LIMIT :n;

-- name: candidates_in_region
-- The same for a worker of a region: hosts at home there, or in a region that is lost.
SELECT id, name, epoch + 1, seed, fetched, coalesce((SELECT data FROM host_noise AS n WHERE n.host = host.name), x'') FROM host
WHERE state = 'waiting' AND paused_at IS NULL
  AND priority >= :least
  AND (ip = '' OR NOT EXISTS (SELECT 1 FROM lease WHERE lease.ip = host.ip AND lease.worker <> :worker))
  AND EXISTS (SELECT 1 FROM host_home AS o JOIN region AS r ON r.name = o.region
              WHERE o.host = host.id AND (o.region = :region OR r.state = 'lost'))
ORDER BY priority DESC LIMIT :n;

-- name: lease
INSERT INTO lease (host, worker, epoch, ip, state, expires_at)
SELECT id, :worker, epoch + 1, ip, state, :clock + :seconds FROM host WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(:ids));

-- name: renew
UPDATE lease SET expires_at = :clock + :seconds WHERE worker = :worker RETURNING host, epoch;

-- name: open_hosts
UPDATE host SET state = 'open', turns = turns + 1, epoch = epoch + 1
WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(:ids));

-- name: lease_epoch
SELECT 1 FROM lease WHERE host = :host AND epoch = :epoch;

-- name: leased_states
SELECT host, state, ip FROM lease WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts));

-- name: drop_lease
DELETE FROM lease WHERE host = ?;

-- name: ip_holder
SELECT 1 FROM lease WHERE ip = :ip AND worker <> :worker LIMIT 1;

-- name: set_ip
UPDATE host SET ip = :ip WHERE id = :id;

-- name: set_lease_ip
UPDATE lease SET ip = :ip WHERE host = :id;

-- name: waiting
SELECT host, url, depth, hops, via, trail, score, level, etag, last_modified FROM site WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts));

-- name: entries
SELECT host, url, hops, via, trail, score, level FROM entry WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts));

-- name: known_urls
-- With those that are deferred: a link to one of them is not followed at once.
SELECT host, url FROM page WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts))
UNION ALL
SELECT host, url FROM deferred_page WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts));

-- name: put_deferred
INSERT OR IGNORE INTO deferred_page (host, url, time, reason, depth, hops, via, trail, score, level)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: defer_until
UPDATE host SET deferred_pause = coalesce(deferred_pause, :pause),
  deferred_until = coalesce(deferred_until, :now + coalesce(deferred_pause, :pause))
WHERE id = :host;

-- name: change_pause
-- After deferred pages that led to as many more, a day longer.
UPDATE host SET deferred_pause = CASE WHEN :grew = 1 THEN deferred_pause + :pause ELSE CAST(:pause AS REAL) END
WHERE id = :host;

-- name: pause_deferred
UPDATE host SET deferred_until = :now + deferred_pause WHERE id = :host AND deferred_until IS NOT NULL;

-- name: hosts_with_deferred
SELECT id FROM host
WHERE deferred_until <= :now AND state = 'complete' AND paused_at IS NULL AND fetched < :pages_per_host;

-- name: next_deferred
-- As many for each reason, those that have been deferred longest first.
SELECT url, depth, hops, via, trail, score, level FROM (
  SELECT *, row_number() OVER (PARTITION BY reason ORDER BY time, depth, url) AS place
  FROM deferred_page WHERE host = :host
) AS d ORDER BY place, time, url LIMIT :n;

-- name: drop_deferred
DELETE FROM deferred_page WHERE host = ? AND url = ?;

-- name: wake_deferred
-- Behind every host that has other pages.
UPDATE host SET state = 'waiting', priority = 0, pending = :pending, deferred_until = CASE
  WHEN EXISTS (SELECT 1 FROM deferred_page AS d WHERE d.host = host.id) THEN :now + coalesce(deferred_pause, :pause) END
WHERE id = :host;

-- name: put_back
UPDATE host SET state = ?, ready_at = ?, reason = ?, pending = ?, priority = ?, score = ? WHERE id = ?;

-- name: close_host
UPDATE host SET state = ?, ready_at = ?, closed_at = ?, reason = ?, pending = 0 WHERE id = ?;

-- name: drop_site
DELETE FROM site WHERE host = ?;

-- name: drop_entries
DELETE FROM entry WHERE host = ?;

-- name: queue_state
-- Without paused hosts, which are few and have an index of their own.
SELECT
  (SELECT count(*) FROM host WHERE state = 'waiting')
    - (SELECT count(*) FROM host WHERE paused_at IS NOT NULL AND state = 'waiting'),
  (SELECT count(*) FROM lease),
  (SELECT count(*) FROM host WHERE state = 'resting' AND paused_at IS NULL),
  (SELECT min(ready_at) FROM host WHERE state = 'resting' AND paused_at IS NULL);

-- name: paused_hosts
SELECT name FROM host WHERE paused_at IS NOT NULL ORDER BY id;

-- name: host_ids
SELECT name, id FROM host WHERE name IN (SELECT value FROM json_each(:names));

-- name: hosts_by_name
SELECT name, id, state, in_hosts, in_links, sketch, entries, seed, pending, priority, score, named
FROM host WHERE name IN (SELECT value FROM json_each(:names));

-- name: add_hosts
INSERT INTO host (name, state, priority, pending, in_hosts, in_links, sketch, entries, seed, ip, ready_at,
                  fetched, turns, first_seen, closed_at, reason)
VALUES (?, ?, 0, 0, 0, 0, x'', 0, 0, '', 0, 0, 0, ?, 0, ?);

-- name: hosts_seen
-- Touches no index: most hosts keep their place in the queue.
UPDATE host SET in_hosts = ?, in_links = ?, sketch = ?, entries = ?, pending = ? WHERE id = ?;

-- name: hosts_moved
UPDATE host SET in_hosts = ?, in_links = ?, sketch = ?, entries = ?, pending = ?, seed = ?, score = ?, priority = ?, state = ?
WHERE id = ?;

-- name: add_seeds
INSERT OR IGNORE INTO entry (host, url, hops, via, trail) VALUES (?, ?, 0, 'seed', '');

-- name: add_entries
-- Seen again, an address keeps its better score.
INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (host, url) DO UPDATE SET
  score = excluded.score, level = min(level, excluded.level) WHERE excluded.score > score;

-- name: link_hosts
INSERT INTO host_link VALUES (?, ?, ?) ON CONFLICT (source, target) DO UPDATE SET links = links + excluded.links;

-- name: waiting_hosts
-- Counted up to :most.
SELECT count(*) FROM (SELECT 1 FROM host WHERE state = 'waiting' LIMIT :most);

-- name: keep_links
INSERT INTO unmerged_link (data) VALUES (:data) RETURNING id;

-- name: kept_links
SELECT data FROM unmerged_link WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(:ids)) ORDER BY id;

-- name: unmerged_links
SELECT id, data FROM unmerged_link ORDER BY id LIMIT :n;

-- name: any_unmerged_link
SELECT 1 FROM unmerged_link LIMIT 1;

-- name: drop_merged_links
DELETE FROM unmerged_link WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(:ids));

-- name: linked
SELECT l.source, l.target FROM json_each(:pairs) AS p
CROSS JOIN host_link AS l ON l.source = p.value ->> 0 AND l.target = p.value ->> 1;

-- name: known_pages
SELECT url FROM page WHERE url IN (SELECT value FROM json_each(:urls));

-- name: is_page
SELECT 1 FROM page WHERE url = :url;

-- name: add_fetched
UPDATE host SET fetched = fetched + ? WHERE id = ?;

-- name: pages_for_visits
SELECT url, id, version, etag, last_modified, text_bytes, rate
FROM page WHERE url IN (SELECT value FROM json_each(:urls));

-- name: known_page
-- The crawler compares with what it saw itself: a browser shows a page in another way, perhaps signed in.
SELECT p.id, p.last_visit, p.weight, p.rate, p.shape, p.misses,
       p.links, p.emails, p.images, p.text_bytes, p.has_last_modified, p.directory_level,
       v.digest, v.text_digest, v.time, v.charset, v.file, v."offset", v.length,
       v.tag_file, v.tag_offset, v.tag_length,
       (SELECT data FROM page_noise WHERE page = p.id), c.visit, x.change_size, x.diff
FROM page AS p LEFT JOIN version AS v ON v.id = iif(p.sent = 0, p.version, (
    SELECT id FROM version WHERE page = p.id AND origin = 'crawler' ORDER BY time DESC, id DESC LIMIT 1))
  LEFT JOIN control_fetch AS c ON c.page = p.id LEFT JOIN visit AS x ON x.page = c.page AND x.time = c.visit
WHERE p.url = :url;

-- name: put_page
-- A page after a visit: new, or as it stands now. What the visit does not show stays: the description of stored
-- content without a new version, the features without a reading, the schedule without a plan, and the weight.
INSERT INTO page (
  id, url, host, version, first_seen, last_visit, last_change, status, trouble, mime, title, language, etag,
  last_modified, depth, via, trail, visits, versions, links, emails, images, text_bytes, has_last_modified,
  directory_level, due, rate, shape, misses, private
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
  version = coalesce(excluded.version, version), last_visit = excluded.last_visit,
  private = iif(excluded.version IS NULL, private, excluded.private),
  last_change = iif(excluded.version IS NULL, last_change, excluded.last_change),
  status = excluded.status, trouble = excluded.trouble,
  mime = iif(version IS NULL OR excluded.version IS NOT NULL, excluded.mime, mime),
  title = iif(version IS NULL OR excluded.version IS NOT NULL, excluded.title, title),
  language = iif(version IS NULL OR excluded.version IS NOT NULL, excluded.language, language),
  etag = iif(version IS NULL OR excluded.version IS NOT NULL OR excluded.etag <> '', excluded.etag, etag),
  last_modified = iif(version IS NULL OR excluded.version IS NOT NULL OR excluded.last_modified <> '',
                      excluded.last_modified, last_modified),
  depth = excluded.depth, via = excluded.via, trail = excluded.trail,
  visits = visits + 1, versions = versions + excluded.versions,
  links = coalesce(excluded.links, links), emails = coalesce(excluded.emails, emails),
  images = coalesce(excluded.images, images), text_bytes = coalesce(excluded.text_bytes, text_bytes),
  has_last_modified = coalesce(excluded.has_last_modified, has_last_modified),
  directory_level = coalesce(excluded.directory_level, directory_level),
  due = iif(excluded.rate IS NULL, due, excluded.due), rate = coalesce(excluded.rate, rate),
  shape = iif(excluded.rate IS NULL, shape, excluded.shape), misses = excluded.misses;

-- name: put_earlier
-- A capture older than the page's newest adds to its history and changes nothing else.
UPDATE page SET visits = visits + 1, versions = versions + ?, first_seen = min(first_seen, ?), version = coalesce(version, ?)
WHERE id = ?;

-- name: put_version
INSERT INTO version (
  id, page, time, status, mime, charset, digest, text_digest, size, file, "offset", length,
  tag_file, tag_offset, tag_length, private
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: put_visit
INSERT OR REPLACE INTO visit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: put_waiting
INSERT OR REPLACE INTO site (host, url, depth, hops, via, trail, score, level, etag, last_modified)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: drop_waiting
DELETE FROM site WHERE host = ? AND url = ?;

-- name: drop_entry
DELETE FROM entry WHERE host = ? AND url = ?;

-- name: put_skip
INSERT OR IGNORE INTO skip (host, url, time, reason, depth, via) VALUES (?, ?, ?, ?, ?, ?);

-- name: set_aside
-- Links that were not followed for a limit or the scope, of hosts that may be visited.
SELECT s.host, h.name, s.url, s.reason, s.depth, s.via, h.fetched FROM skip AS s JOIN host AS h ON h.id = s.host
WHERE (s.reason GLOB 'depth:*' OR s.reason GLOB 'limit:*' OR s.reason GLOB 'focus:*' OR s.reason GLOB 'scope:*')
  AND h.state IN ('waiting', 'resting', 'complete', 'given_up');

-- name: count_set_aside
SELECT count(CASE WHEN s.reason GLOB 'depth:*' THEN 1 END), count(CASE WHEN s.reason GLOB 'limit:*' THEN 1 END),
       count(CASE WHEN s.reason GLOB 'focus:*' THEN 1 END)
FROM skip AS s
WHERE (s.reason GLOB 'depth:*' OR s.reason GLOB 'limit:*' OR s.reason GLOB 'focus:*')
  AND NOT EXISTS (SELECT 1 FROM page WHERE page.url = s.url);

-- name: take_up
INSERT OR IGNORE INTO site (host, url, depth, hops, via, trail, score, etag, last_modified)
SELECT :host, :url, :depth, 0, :via, 'L', 0.0, '', ''
WHERE NOT EXISTS (SELECT 1 FROM page WHERE page.url = :url);

-- name: drop_skip
DELETE FROM skip WHERE host = ? AND url = ?;

-- name: reopen_hosts
-- Complete hosts with pending pages, if their page limit leaves room.
UPDATE host SET state = 'waiting', pending = max(pending, 1)
WHERE state = 'complete' AND fetched < :pages_per_host AND id IN (SELECT host FROM site);

-- name: forget_site_scores
UPDATE site SET score = 0, level = 0;

-- name: forget_entry_scores
UPDATE entry SET score = 0, level = 0;

-- name: scored_hosts
SELECT id, pending, seed, named FROM host WHERE score IS NOT NULL;

-- name: forget_host_score
UPDATE host SET score = NULL, priority = ? WHERE id = ?;

-- name: robots
SELECT origin, fetched_at, expires_at, verdict, content, note FROM robots WHERE origin IN (SELECT value FROM json_each(:origins));

-- name: retry_robots
-- A request that failed is not a rule: whoever asks for a host again has its robots.txt requested again.
DELETE FROM robots WHERE verdict = 'deny' AND origin IN (SELECT value FROM json_each(:origins));

-- name: retry_all_robots
DELETE FROM robots WHERE verdict = 'deny';

-- name: put_robots
INSERT OR REPLACE INTO robots VALUES (?, ?, ?, ?, ?, ?);

-- name: seed_hosts
SELECT name FROM host WHERE seed > 0;

-- name: versions
SELECT v.id, p.url, v.time, v.status, v.mime, v.charset, v.digest, v.text_digest, v.size,
       f.name, v."offset", v.length, t.name, v.tag_offset, v.tag_length, v.damaged, v.private
FROM version AS v JOIN page AS p ON p.id = v.page JOIN file AS f ON f.id = v.file
LEFT JOIN file AS t ON t.id = v.tag_file
WHERE v.page = :page ORDER BY v.time, v.id;

-- name: version
SELECT v.id, p.url, v.time, v.status, v.mime, v.charset, v.digest, v.text_digest, v.size,
       f.name, v."offset", v.length, t.name, v.tag_offset, v.tag_length, v.damaged, v.private
FROM version AS v JOIN page AS p ON p.id = v.page JOIN file AS f ON f.id = v.file
LEFT JOIN file AS t ON t.id = v.tag_file
WHERE v.id = :id;

-- name: some_versions
SELECT v.id, p.url, v.time, v.status, v.mime, v.charset, v.digest, v.text_digest, v.size,
       f.name, v."offset", v.length, t.name, v.tag_offset, v.tag_length, v.damaged, v.private
FROM json_each(:ids) AS i CROSS JOIN version AS v ON v.id = CAST(i.value AS INTEGER)
JOIN page AS p ON p.id = v.page JOIN file AS f ON f.id = v.file LEFT JOIN file AS t ON t.id = v.tag_file;

-- name: version_at
SELECT v.id, p.url, v.time, v.status, v.mime, v.charset, v.digest, v.text_digest, v.size,
       f.name, v."offset", v.length, t.name, v.tag_offset, v.tag_length, v.damaged, v.private
FROM version AS v JOIN page AS p ON p.id = v.page JOIN file AS f ON f.id = v.file
LEFT JOIN file AS t ON t.id = v.tag_file
WHERE p.url = :url AND v.time <= :time AND v.damaged = '' ORDER BY v.time DESC, v.id DESC LIMIT 1;

-- name: visits
SELECT v.time, v.status, v.trouble, v.changed, v.known_by, v.gap, v.took, v.size, v.note, f.name, v."offset", v.length,
       v.change_size, v.kinds, v.diff
FROM visit AS v LEFT JOIN file AS f ON f.id = v.file
WHERE v.page = :page ORDER BY v.time;

-- name: captures_in_file
-- Each visit that left a record in one file, with what the record says.
SELECT p.url, v.time, v.status, coalesce(n.mime, p.mime), v.digest,
       n.id IS NULL AND v.known_by IN ('304', 'digest'), f.name, v."offset", v.length
FROM visit AS v JOIN page AS p ON p.id = v.page JOIN file AS f ON f.id = v.file
LEFT JOIN version AS n ON n.page = v.page AND n.file = v.file AND n."offset" = v."offset"
WHERE v.file IS NOT NULL AND f.kind = 'warc' AND v.file = :file;

-- name: host
SELECT id, name, state, priority, pending, in_hosts, in_links, entries, seed, ip, ready_at, fetched, turns,
       first_seen, closed_at, reason, paused_at
FROM host WHERE name = :name;

-- name: host_states
SELECT state, count(*) FROM host GROUP BY state;

-- name: skip
SELECT time, reason FROM skip WHERE host = :host AND url = :url
UNION ALL
SELECT time, 'deferred: ' || reason FROM deferred_page WHERE host = :host AND url = :url LIMIT 1;

-- name: skip_counts
SELECT host, count(*) FROM skip WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts)) GROUP BY host;

-- name: waiting_url
SELECT depth, via FROM site WHERE host = :host AND url = :url;

-- name: waiting_count
-- Without the pages of hosts whose page limit is reached.
SELECT count(*) FROM site WHERE host NOT IN (SELECT id FROM host WHERE state = 'complete');

-- name: deferred_count
SELECT count(*) FROM deferred_page;

-- name: status_counts
SELECT status, trouble, count(*) FROM page GROUP BY status, trouble ORDER BY 3 DESC;

-- name: host_links
SELECT s.name, t.name, l.links FROM host_link AS l
JOIN host AS s ON s.id = l.source JOIN host AS t ON t.id = l.target
ORDER BY l.source, l.target;

-- name: drop_known_entries
DELETE FROM entry WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts))
  AND EXISTS (SELECT 1 FROM page WHERE page.url = entry.url AND page.host = entry.host);

-- name: entry_counts
SELECT host, count(*), coalesce(max(score), 0.0) FROM entry WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts)) GROUP BY host;

-- name: records
-- Where the records of all visits stand, in the order of the files.
SELECT f.name, v."offset", v.length, v.request
FROM visit AS v JOIN file AS f ON f.id = v.file ORDER BY f.id, v."offset";

-- name: has_visit
-- WARC files know no more than microseconds.
SELECT 1 FROM visit WHERE page = (SELECT id FROM page WHERE url = :url) AND time BETWEEN :time - 0.00001 AND :time + 0.00001;

-- name: content_place
SELECT f.name, v."offset", v.length FROM version AS v JOIN file AS f ON f.id = v.file
WHERE v.page = (SELECT id FROM page WHERE url = :url) AND v.digest = :digest AND v.damaged = '' LIMIT 1;

-- name: adopt_host
-- A host whose pages were imported: known, and complete.
INSERT OR IGNORE INTO host (name, state, priority, pending, in_hosts, in_links, sketch, entries, seed, ip, ready_at,
                  fetched, turns, first_seen, closed_at, reason)
VALUES (:name, 'complete', 0, 0, 0, 0, x'', 0, 0, '', 0, 0, 0, :now, :now, :reason);

-- name: version_by_digest
SELECT id, digest, text_digest, time FROM version WHERE page = :page AND digest = :digest AND damaged = '' LIMIT 1;

-- name: recent_gaps
-- The newest visits to a page that could tell whether it had changed, newest first.
SELECT gap, changed FROM visit WHERE page = :page AND known_by IN ('digest', '304') AND gap > 0
ORDER BY time DESC LIMIT :n;

-- name: last_telling
-- The last visit that found a page's content.
SELECT max(time) FROM visit WHERE page = :page AND known_by IN ('first', 'digest', '304');

-- name: recent_statuses
SELECT status FROM visit WHERE page = :page ORDER BY time DESC LIMIT :n;

-- name: put_prediction
INSERT OR REPLACE INTO prediction VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: predictions
SELECT time, predictor, "group", rate, due, reasons FROM prediction WHERE page = :page ORDER BY time;

-- name: noise
SELECT data FROM host_noise WHERE host = :host;

-- name: put_page_noise
INSERT INTO page_noise VALUES (?, ?) ON CONFLICT (page) DO UPDATE SET data = excluded.data;

-- name: noise_overrides
SELECT host, what, state FROM noise_override WHERE host IN (SELECT value FROM json_each(:names)) ORDER BY host, what;

-- name: put_noise_override
INSERT INTO noise_override VALUES (:host, :what, :state);

-- name: drop_noise_override
DELETE FROM noise_override WHERE host = :host AND what = :what;

-- name: put_noise
INSERT INTO host_noise VALUES (?, ?) ON CONFLICT (host) DO UPDATE SET data = excluded.data;

-- name: add_validator
INSERT INTO validator VALUES (?, ?, ?, ?) ON CONFLICT (host) DO UPDATE SET
  agreed = agreed + excluded.agreed, misled = misled + excluded.misled, saved_bytes = saved_bytes + excluded.saved_bytes;

-- name: add_spend
INSERT INTO spend VALUES (?, ?, ?) ON CONFLICT (slot) DO UPDATE SET
  refresh = refresh + excluded.refresh, discovery = discovery + excluded.discovery;

-- name: spent
SELECT slot, refresh, discovery FROM spend WHERE slot >= :since ORDER BY slot;

-- name: spent_later
-- After a clock was set back: what was spent in a time that has not come yet.
SELECT sum(refresh), sum(discovery) FROM spend WHERE slot > :slot;

-- name: drop_later
DELETE FROM spend WHERE slot > :slot;

-- name: due_pages
-- The pages that are due, the longest overdue first; a look at the head of an ordered column. Their validators
-- are given while they have content to compare with.
SELECT p.host, p.url, p.depth, p.via, p.trail,
       iif(p.version IS NULL, '', p.etag), iif(p.version IS NULL, '', p.last_modified)
FROM page AS p JOIN host AS h ON h.id = p.host
WHERE p.due <= :now AND h.state NOT IN ('open', 'parked', 'redirect_spam') AND h.paused_at IS NULL AND h.ready_at <= :now
ORDER BY p.due LIMIT :n;

-- name: due_pages_in_region
-- The same for a worker of a region: not those of hosts at home in another region that is up.
SELECT p.host, p.url, p.depth, p.via, p.trail,
       iif(p.version IS NULL, '', p.etag), iif(p.version IS NULL, '', p.last_modified)
FROM page AS p JOIN host AS h ON h.id = p.host
WHERE p.due <= :now AND h.state NOT IN ('open', 'parked', 'redirect_spam') AND h.paused_at IS NULL AND h.ready_at <= :now
  AND NOT EXISTS (SELECT 1 FROM host_home AS o JOIN region AS r ON r.name = o.region
                  WHERE o.host = h.id AND o.region <> :region AND r.state = 'up')
ORDER BY p.due LIMIT :n;

-- name: due_controls
-- Control fetches that are due. They send no validators: the page must be made once more.
SELECT p.host, p.url, p.depth, p.via, p.trail, '', ''
FROM control_fetch AS c JOIN page AS p ON p.id = c.page JOIN host AS h ON h.id = p.host
WHERE c.due <= :now AND h.state NOT IN ('open', 'parked', 'redirect_spam') AND h.paused_at IS NULL AND h.ready_at <= :now
ORDER BY c.due LIMIT :n;

-- name: next_control
SELECT min(due) FROM control_fetch;

-- name: drop_late_controls
DELETE FROM control_fetch WHERE due < :before OR due > :after;

-- name: put_control
INSERT OR REPLACE INTO control_fetch (page, due, visit, day, source, validated) VALUES (?, ?, ?, ?, ?, ?);

-- name: pending_control
SELECT c.day, c.source, c.validated FROM control_fetch AS c WHERE c.page = :page AND c.visit = :visit;

-- name: drop_control
DELETE FROM control_fetch WHERE page = ?;

-- name: correct_visit
UPDATE visit SET changed = :changed, change_size = :size, kinds = :kinds, diff = :diff, note = :note
WHERE page = :page AND time = :time;

-- name: correct_audit
UPDATE audit SET fresh = 1 WHERE page = :page AND time = :time;

-- name: replan
UPDATE page SET due = ?, rate = ?, shape = ? WHERE id = ?;

-- name: due_page
-- One of them, by its address.
SELECT p.host, p.url, p.depth, p.via, p.trail,
       iif(p.version IS NULL, '', p.etag), iif(p.version IS NULL, '', p.last_modified)
FROM page AS p JOIN host AS h ON h.id = p.host
WHERE p.url = :url AND p.due <= :now AND h.state NOT IN ('open', 'parked', 'redirect_spam') AND h.paused_at IS NULL AND h.ready_at <= :now;

-- name: due_count
-- Not those of hosts that rest, which cannot be visited now.
SELECT count(*) FROM (
  SELECT 1 FROM page AS p CROSS JOIN host AS h ON h.id = p.host
  WHERE p.due <= :now AND h.state NOT IN ('open', 'parked', 'redirect_spam') AND h.paused_at IS NULL AND h.ready_at <= :now LIMIT :n);

-- name: scheduled_count
-- Walks down indexes; a look at every page's host would read the whole table, in the order of due times.
SELECT (SELECT count(*) FROM page WHERE due IS NOT NULL) - (
  SELECT count(*) FROM host AS h CROSS JOIN page AS p ON p.host = h.id
  WHERE h.state IN ('parked', 'redirect_spam') AND p.due IS NOT NULL) - (
  SELECT count(*) FROM host AS h CROSS JOIN page AS p ON p.host = h.id
  WHERE h.paused_at IS NOT NULL AND h.state NOT IN ('parked', 'redirect_spam') AND p.due IS NOT NULL);

-- name: next_due
SELECT p.due FROM page AS p JOIN host AS h ON h.id = p.host
WHERE p.due IS NOT NULL AND h.state NOT IN ('parked', 'redirect_spam') AND h.paused_at IS NULL AND h.ready_at <= :now
ORDER BY p.due LIMIT 1;

-- name: next_ready
-- When the first of the resting hosts that have pages due may be visited.
SELECT min(h.ready_at) FROM page AS p JOIN host AS h ON h.id = p.host
WHERE p.due <= :now AND h.state NOT IN ('open', 'parked', 'redirect_spam') AND h.paused_at IS NULL AND h.ready_at > :now;

-- name: adopt_pages
-- Pages without a plan: imported, or crawled before there were plans.
UPDATE page SET due = min(last_visit + :longest, :now)
WHERE id > :after AND due IS NULL AND rate IS NULL AND version IS NOT NULL;

-- name: bound_rest
-- A wrong clock may have sent a host to rest for years. A parked host rests until next month's sample.
UPDATE host SET ready_at = :now
WHERE ready_at > :now + :rest AND (state <> 'parked' OR ready_at > :now + 31 * 86400.0);

-- name: bound_due
-- No copy may get older than the longest time, though it was planned under another setting or by a wrong clock.
UPDATE page SET due = min(last_visit, :now) + :longest WHERE due > :edge AND due > min(last_visit, :now) + :longest;

-- name: host_rows
SELECT id, name, epoch + 1, seed, fetched, coalesce((SELECT data FROM host_noise AS n WHERE n.host = host.name), x'')
FROM host WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts));

-- name: set_weight
UPDATE page SET weight = :weight WHERE url = :url;

-- name: page_rates
-- What is gone or has moved is history, not a copy to be kept fresh.
SELECT rate, shape, last_visit, weight, host FROM page
WHERE due IS NOT NULL AND rate IS NOT NULL AND version IS NOT NULL
  AND status NOT IN (404, 410) AND (status NOT BETWEEN 300 AND 399 OR status = 304);

-- name: audit_page
SELECT p.id, p.url FROM page AS p JOIN host AS h ON h.id = p.host
WHERE p.due IS NOT NULL AND p.version IS NOT NULL AND p.misses = 0 AND p.id BETWEEN :start AND :end
  AND h.state NOT IN ('parked', 'redirect_spam') AND h.paused_at IS NULL
ORDER BY p.id LIMIT 1;

-- name: scheduled_copies
-- Copies that were found where they were expected; the others have a lifecycle of their own. Those of spam are
-- not visited: the older they get, the more fetches they would take from others.
SELECT p.id, p.rate, coalesce(p.shape, 1.0), p.last_visit, p.weight, p.due FROM page AS p NOT INDEXED
CROSS JOIN host AS h ON h.id = p.host
WHERE p.id > :after AND p.due < :until AND p.rate IS NOT NULL AND p.version IS NOT NULL AND p.misses = 0
  AND h.state NOT IN ('parked', 'redirect_spam') AND h.paused_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM announcement AS a WHERE a.page = p.id AND a.made_due = 1)
ORDER BY p.id LIMIT :n;

-- name: scheduled_copies_count
SELECT count(*) FROM page AS p NOT INDEXED CROSS JOIN host AS h ON h.id = p.host
WHERE p.due IS NOT NULL AND p.rate IS NOT NULL AND p.version IS NOT NULL AND p.misses = 0
  AND h.state NOT IN ('parked', 'redirect_spam') AND h.paused_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM announcement AS a WHERE a.page = p.id AND a.made_due = 1);

-- name: set_due
UPDATE page SET due = ? WHERE id = ?;

-- name: make_due
UPDATE page SET due = min(coalesce(due, :now), :now) WHERE url = :url;

-- name: put_audit
INSERT OR REPLACE INTO audit VALUES (?, ?, ?, ?);

-- name: audits
SELECT a.fresh, a.expected, p.weight FROM audit AS a JOIN page AS p ON p.id = a.page WHERE a.time >= :since;

-- name: end_refresh
UPDATE host SET state = ?, ready_at = ?, reason = ? WHERE id = ?;

-- name: file_name
SELECT name FROM file WHERE id = :id;

-- name: hosts_with_waiting
SELECT DISTINCT host FROM site WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts));

-- name: waiting_urls
SELECT host, url FROM site WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts));

-- name: entry_urls
SELECT host, url FROM entry WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts));

-- name: due_of
SELECT due, rate FROM page WHERE id = :id;

-- name: put_judgement
INSERT OR REPLACE INTO judgement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: put_classified
-- Judged after the crawl: what was expected of its link stays on record.
INSERT INTO judgement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (topic, page) DO UPDATE SET
  time = excluded.time, score = excluded.score, judge = excluded.judge, reasons = excluded.reasons;

-- name: judgements
SELECT topic, time, score, expected, level, judge, reasons, promise FROM judgement WHERE page = :page ORDER BY topic;

-- name: judged_count
SELECT count(*), coalesce(sum(score > 0.5), 0) FROM judgement WHERE topic = :topic;

-- name: last_harvest
SELECT pages, relevant FROM harvest WHERE topic = :topic AND learner = :learner ORDER BY pages DESC LIMIT 1;

-- name: drop_harvest
-- Only where the crawl stands now may stand between two marks.
DELETE FROM harvest WHERE topic = :topic AND learner = :learner AND pages = :pages AND pages % :step <> 0;

-- name: put_harvest
INSERT OR REPLACE INTO harvest VALUES (?, ?, ?, ?);

-- name: harvests
SELECT topic, learner, pages, relevant FROM harvest ORDER BY topic, learner, pages;

-- name: put_guide
INSERT OR REPLACE INTO guide (topic, learner, worker, time, data, share, share_low, share_high)
VALUES (:topic, :learner, :worker, :time, :data, :share, :share_low, :share_high);

-- name: topic_share
SELECT share, share_low, share_high FROM guide WHERE topic = :topic AND learner = :learner
ORDER BY time DESC LIMIT 1;

-- name: topic_pages
SELECT p.url, p.title, j.score, j.reasons, p.last_visit FROM judgement AS j JOIN page AS p ON p.id = j.page
WHERE j.topic = :topic ORDER BY j.score DESC, p.url;

-- name: guide
-- The newest of all workers: they learn from each other. Of two of one time, a worker's own.
SELECT data FROM guide WHERE topic = :topic AND learner = :learner
ORDER BY time DESC, worker <> :worker LIMIT 1;

-- name: last_lesson
SELECT coalesce(max(id), 0) FROM lesson;

-- name: put_lesson
INSERT INTO lesson (topic, worker, time, data) VALUES (?, ?, ?, ?);

-- name: put_pending_best
INSERT OR REPLACE INTO pending_best (topic, worker, time, best) VALUES (?, ?, ?, ?);

-- name: pending_best
SELECT coalesce(max(best), 0.0) FROM pending_best WHERE topic = :topic AND worker <> :worker AND time > :after;

-- name: forget_lessons
DELETE FROM lesson WHERE time < :before;

-- name: lessons
SELECT id, data FROM lesson WHERE id > :after AND topic = :topic AND worker <> :worker ORDER BY id LIMIT :n;

-- name: newest_guide
SELECT topic, learner, data FROM guide ORDER BY time DESC LIMIT 1;
