-- What the dashboard reads. No query counts a whole table; lists are read from an index, page by page.

-- name: add_hourly
INSERT INTO hourly VALUES (?, ?, ?) ON CONFLICT (hour, what) DO UPDATE SET count = count + excluded.count;

-- name: add_host_tally
INSERT INTO host_tally VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (host) DO UPDATE SET
  pages = pages + excluded.pages, stored = stored + excluded.stored, visits = visits + excluded.visits,
  changes = changes + excluded.changes, failures = failures + excluded.failures,
  not_modified = not_modified + excluded.not_modified, bytes = bytes + excluded.bytes,
  failing = CASE WHEN excluded.last_visit < last_visit THEN failing
                 WHEN excluded.trouble = '' THEN NULL ELSE coalesce(failing, excluded.failing) END,
  trouble = CASE WHEN excluded.last_visit < last_visit THEN trouble ELSE excluded.trouble END,
  last_visit = max(last_visit, excluded.last_visit);

-- name: add_host_changes
UPDATE host_tally SET changes = changes + :changes WHERE host = :host;

-- name: hourly
SELECT hour, what, count FROM hourly WHERE hour >= :since AND hour < :until ORDER BY hour, what;

-- name: put_snapshot
INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: snapshots
SELECT time, took, pages, estimated, low, high, audited, measured, measured_low, measured_high, age_days, stored,
       cleaned, copies, topic, judged, relevant, undecided, overdue, hosts, parked, redirect_spam, budget, disk_bytes
FROM snapshot WHERE hour >= :since ORDER BY hour;

-- name: newest_snapshot
SELECT time, took, pages, estimated, low, high, audited, measured, measured_low, measured_high, age_days, stored,
       cleaned, copies, topic, judged, relevant, undecided, overdue, hosts, parked, redirect_spam, budget, disk_bytes
FROM snapshot ORDER BY hour DESC LIMIT 1;

-- name: count_cleaned
SELECT count(*) FROM fingerprint;

-- name: count_overdue
-- Pages of hosts that are not visited, as spam or by a person's wish, are not waited for.
SELECT count(*) FROM page WHERE due <= :before AND host NOT IN (
  SELECT id FROM host WHERE state IN ('parked', 'redirect_spam') UNION ALL SELECT id FROM host WHERE paused_at IS NOT NULL);

-- name: count_judged
SELECT count(*), coalesce(sum(score > 0.5), 0), coalesce(sum(score BETWEEN 0.4 AND 0.6), 0)
FROM judgement WHERE topic = :topic;

-- name: judged_topics
-- The next topic after one, by name; a step down the primary key.
SELECT topic FROM judgement WHERE topic > :after ORDER BY topic LIMIT 1;

-- name: hosts_in_flight
SELECT h.id, h.name, l.worker, l.expires_at FROM lease AS l CROSS JOIN host AS h ON h.id = l.host ORDER BY h.name LIMIT :n;

-- name: failing_hosts
SELECT h.id, h.name, h.state, h.reason, h.ready_at, h.pending, t.pages, t.stored, t.visits, t.changes, t.failures,
       t.not_modified, t.bytes, t.last_visit, t.failing, t.trouble, h.paused_at
FROM host_tally AS t CROSS JOIN host AS h ON h.id = t.host
WHERE t.failing IS NOT NULL AND t.failing <= :before AND t.stored > 0 AND h.paused_at IS NULL
ORDER BY t.failing LIMIT :n;

-- name: host_summary
SELECT h.id, h.name, h.state, h.reason, h.ready_at, h.pending, coalesce(t.pages, 0), coalesce(t.stored, 0),
       coalesce(t.visits, 0), coalesce(t.changes, 0), coalesce(t.failures, 0), coalesce(t.not_modified, 0),
       coalesce(t.bytes, 0), coalesce(t.last_visit, 0), t.failing, coalesce(t.trouble, ''), h.paused_at
FROM host AS h LEFT JOIN host_tally AS t ON t.host = h.id WHERE h.name = :name;

-- name: hosts_by_stored
SELECT h.id, h.name, h.state, h.reason, h.ready_at, h.pending, t.pages, t.stored, t.visits, t.changes, t.failures,
       t.not_modified, t.bytes, t.last_visit, t.failing, t.trouble, h.paused_at
FROM host_tally AS t CROSS JOIN host AS h ON h.id = t.host
WHERE (t.stored, t.host) < (:count, :id) ORDER BY t.stored DESC, t.host DESC LIMIT :n;

-- name: hosts_by_changes
SELECT h.id, h.name, h.state, h.reason, h.ready_at, h.pending, t.pages, t.stored, t.visits, t.changes, t.failures,
       t.not_modified, t.bytes, t.last_visit, t.failing, t.trouble, h.paused_at
FROM host_tally AS t CROSS JOIN host AS h ON h.id = t.host
WHERE (t.changes, t.host) < (:count, :id) ORDER BY t.changes DESC, t.host DESC LIMIT :n;

-- name: hosts_by_prefix
SELECT h.id, h.name, h.state, h.reason, h.ready_at, h.pending, coalesce(t.pages, 0), coalesce(t.stored, 0),
       coalesce(t.visits, 0), coalesce(t.changes, 0), coalesce(t.failures, 0), coalesce(t.not_modified, 0),
       coalesce(t.bytes, 0), coalesce(t.last_visit, 0), t.failing, coalesce(t.trouble, ''), h.paused_at
FROM host AS h LEFT JOIN host_tally AS t ON t.host = h.id
WHERE h.name > :after AND h.name >= :prefix AND h.name < :end ORDER BY h.name LIMIT :n;

-- name: refused_hosts
-- Hosts that are not visited; the partial index gives them without a look at the others.
SELECT h.id, h.name, h.state, h.reason, h.ready_at, h.pending, coalesce(t.pages, 0), coalesce(t.stored, 0),
       coalesce(t.visits, 0), coalesce(t.changes, 0), coalesce(t.failures, 0), coalesce(t.not_modified, 0),
       coalesce(t.bytes, 0), coalesce(t.last_visit, 0), t.failing, coalesce(t.trouble, ''), h.paused_at
FROM host AS h LEFT JOIN host_tally AS t ON t.host = h.id
WHERE h.state IN ('parked', 'redirect_spam') AND h.id > :after ORDER BY h.id LIMIT :n;

-- name: paused_host_summaries
SELECT h.id, h.name, h.state, h.reason, h.ready_at, h.pending, coalesce(t.pages, 0), coalesce(t.stored, 0),
       coalesce(t.visits, 0), coalesce(t.changes, 0), coalesce(t.failures, 0), coalesce(t.not_modified, 0),
       coalesce(t.bytes, 0), coalesce(t.last_visit, 0), t.failing, coalesce(t.trouble, ''), h.paused_at
FROM host AS h LEFT JOIN host_tally AS t ON t.host = h.id
WHERE h.paused_at IS NOT NULL AND h.id > :after ORDER BY h.id LIMIT :n;

-- name: pause_host
UPDATE host SET paused_at = :now WHERE name = :host AND paused_at IS NULL;

-- name: resume_host
UPDATE host SET paused_at = NULL WHERE name = :host AND paused_at IS NOT NULL;

-- name: drop_host_controls
-- They would come too late.
DELETE FROM control_fetch WHERE page IN (
  SELECT c.page FROM control_fetch AS c JOIN page AS p ON p.id = c.page JOIN host AS h ON h.id = p.host
  WHERE h.name = :host);

-- name: host_due_count
SELECT count(*) FROM (SELECT 1 FROM page WHERE host = :host AND due <= :now LIMIT :n);

-- name: host_waiting_count
SELECT count(*) FROM (SELECT 1 FROM site WHERE host = :host LIMIT :n);

-- name: host_skips
SELECT url, time, reason FROM (
  SELECT url, time, reason FROM skip WHERE host = :host
  UNION ALL
  SELECT url, time, 'deferred: ' || reason FROM deferred_page WHERE host = :host
) AS s ORDER BY time DESC LIMIT :n;

-- name: host_pages_by_rate
-- Of a host with few pages only: all of them are sorted.
SELECT p.id, p.url, p.title, h.name, p.status, p.trouble, p.version IS NOT NULL, p.last_visit, p.last_change,
       iif(h.state IN ('parked', 'redirect_spam') OR h.paused_at IS NOT NULL, NULL, p.due), p.rate,
       p.shape, p.weight, p.visits, p.versions, p.private
FROM page AS p JOIN host AS h ON h.id = p.host
WHERE p.host = :host ORDER BY p.version IS NULL, p.rate IS NULL, p.rate DESC, p.id LIMIT :n;

-- name: host_pages
SELECT p.id, p.url, p.title, h.name, p.status, p.trouble, p.version IS NOT NULL, p.last_visit, p.last_change,
       iif(h.state IN ('parked', 'redirect_spam') OR h.paused_at IS NOT NULL, NULL, p.due), p.rate,
       p.shape, p.weight, p.visits, p.versions, p.private
FROM page AS p JOIN host AS h ON h.id = p.host
WHERE p.host = :host AND p.id > :after ORDER BY p.id LIMIT :n;

-- name: newest_pages
SELECT p.id, p.url, p.title, h.name, p.status, p.trouble, p.version IS NOT NULL, p.last_visit, p.last_change,
       iif(h.state IN ('parked', 'redirect_spam') OR h.paused_at IS NOT NULL, NULL, p.due), p.rate,
       p.shape, p.weight, p.visits, p.versions, p.private
FROM page AS p JOIN host AS h ON h.id = p.host
WHERE p.id < :before ORDER BY p.id DESC LIMIT :n;

-- name: due_next
SELECT p.id, p.url, p.title, h.name, p.status, p.trouble, p.version IS NOT NULL, p.last_visit, p.last_change,
       iif(h.state IN ('parked', 'redirect_spam') OR h.paused_at IS NOT NULL, NULL, p.due), p.rate,
       p.shape, p.weight, p.visits, p.versions, p.private
FROM page AS p JOIN host AS h ON h.id = p.host
WHERE p.due IS NOT NULL AND (p.due, p.id) > (:due, :id) AND NOT (h.state IN ('parked', 'redirect_spam') OR h.paused_at IS NOT NULL)
ORDER BY p.due, p.id LIMIT :n;

-- name: page_summary
SELECT p.id, p.url, p.title, h.name, p.status, p.trouble, p.version IS NOT NULL, p.last_visit, p.last_change,
       iif(h.state IN ('parked', 'redirect_spam') OR h.paused_at IS NOT NULL, NULL, p.due), p.rate,
       p.shape, p.weight, p.visits, p.versions, p.private
FROM page AS p JOIN host AS h ON h.id = p.host WHERE p.url = :url;

-- name: visit_marks
SELECT time, changed, status, trouble, change_size, took,
       EXISTS (SELECT 1 FROM audit AS a WHERE a.page = v.page AND a.time = v.time)
FROM visit AS v WHERE v.page = :page AND v.time >= :since ORDER BY v.time DESC LIMIT :n;

-- name: changes_before
-- The index gives the newest changes first.
SELECT p.id, p.url, p.title, h.name, v.time, v.change_size, v.kinds, v.diff, v.note, p.private
FROM visit AS v INDEXED BY visit_changed CROSS JOIN page AS p ON p.id = v.page JOIN host AS h ON h.id = p.host
WHERE v.changed AND v.time < :before AND v.time >= :since ORDER BY v.time DESC LIMIT :n;

-- name: host_changes_before
-- Of a host with few pages: each page's visits are read in their own order.
SELECT p.id, p.url, p.title, h.name, v.time, v.change_size, v.kinds, v.diff, v.note, p.private
FROM host AS h CROSS JOIN page AS p ON p.host = h.id CROSS JOIN visit AS v ON v.page = p.id
WHERE h.name = :host AND p.versions > 1 AND v.changed AND v.time < :before AND v.time >= :since
ORDER BY v.time DESC LIMIT :n;

-- name: eventful_host_changes_before
-- Of a host with a good part of all changes: they are read newest first, until enough are of this host.
SELECT p.id, p.url, p.title, h.name, v.time, v.change_size, v.kinds, v.diff, v.note, p.private
FROM visit AS v INDEXED BY visit_changed CROSS JOIN page AS p ON p.id = v.page JOIN host AS h ON h.id = p.host
WHERE v.changed AND v.time < :before AND v.time >= :since AND h.name = :host ORDER BY v.time DESC LIMIT :n;

-- name: page_versions
SELECT v.id, v.time, v.size, v.mime, x.change_size, x.kinds, x.diff, x.note, x.known_by, v.private
FROM version AS v LEFT JOIN visit AS x ON x.page = v.page AND x.time = v.time
WHERE v.page = :page AND v.time < :before ORDER BY v.time DESC LIMIT :n;

-- name: make_page_due
UPDATE page SET due = :now WHERE url = :url AND (due IS NULL OR due > :now);

-- name: make_host_due
-- Pages that are kept fresh become due, the longest unvisited first; at most :n of them.
UPDATE page SET due = :now WHERE id IN (
  SELECT id FROM page WHERE host = (SELECT id FROM host WHERE name = :host) AND due > :now
  ORDER BY last_visit LIMIT :n);

-- name: seen
SELECT time FROM seen WHERE reader = :reader;

-- name: put_seen
INSERT INTO seen VALUES (:reader, :time) ON CONFLICT (reader) DO UPDATE SET time = excluded.time;

-- name: seen_changes
SELECT page, time FROM seen_change WHERE reader = :reader AND time > :since;

-- name: put_seen_change
-- Only what is a change.
INSERT OR IGNORE INTO seen_change (reader, page, time)
SELECT :reader, page, time FROM visit WHERE page = :page AND time = :time AND changed;

-- name: drop_seen_change
DELETE FROM seen_change WHERE reader = :reader AND page = :page AND time = :time;

-- name: drop_seen_changes
-- Those before the time until which all were seen already: a step back from a newer one keeps the others.
DELETE FROM seen_change
WHERE reader = :reader AND time <= min(:until, coalesce((SELECT s.time FROM seen AS s WHERE s.reader = :reader), 0));

-- name: changes_since
-- Without those that the reader has seen one by one.
SELECT count(*) FROM (
  SELECT 1 FROM visit AS v INDEXED BY visit_changed WHERE v.changed AND v.time > :since
    AND NOT EXISTS (SELECT 1 FROM seen_change AS s WHERE s.reader = :reader AND s.page = v.page AND s.time = v.time)
  LIMIT :n);

-- name: newest_submissions
SELECT id, url, state, reason, received, taken, private, tags, comment, content_score, comment_score, version
FROM submission WHERE received < :before ORDER BY received DESC LIMIT :n;

-- name: newest_submissions_of
SELECT id, url, state, reason, received, taken, private, tags, comment, content_score, comment_score, version
FROM submission WHERE url = :url AND received < :before ORDER BY received DESC LIMIT :n;

-- name: submission_version
SELECT version, private FROM submission WHERE id = :id;

-- name: private_with_others
-- Whether somebody else sent the same content and keeps it private.
SELECT 1 FROM submission WHERE version = :version AND id <> :id AND private LIMIT 1;

-- name: set_submission_private
UPDATE submission SET private = :private WHERE id = :id;

-- name: set_version_private
UPDATE version SET private = :private WHERE id = :version;

-- name: set_page_private
-- A page is as private as the content that it shows.
UPDATE page SET private = :private
WHERE id = (SELECT v.page FROM version AS v WHERE v.id = :version) AND version = :version;

-- name: newest_diffs
SELECT diff FROM visit WHERE page = :page AND diff <> '' ORDER BY time DESC LIMIT :n;

-- name: undecided
-- Pages close to the line of a topic, the closest first.
SELECT p.id, p.url, p.title, h.name, j.score, j.reasons, p.private
FROM judgement AS j INDEXED BY judgement_doubt
CROSS JOIN page AS p ON p.id = j.page JOIN host AS h ON h.id = p.host
WHERE j.topic = :topic AND abs(j.score - 0.5) <= 0.1 ORDER BY abs(j.score - 0.5) LIMIT :n;
