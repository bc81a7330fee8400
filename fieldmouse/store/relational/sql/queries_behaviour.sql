-- Visits of readers, and what the schedule decided by them.

-- name: visited_url
SELECT id FROM visited_url WHERE url = :name;

-- name: add_visited_url
INSERT INTO visited_url (url) VALUES (:name);

-- name: reader_number
SELECT id FROM reader WHERE user = :name;

-- name: add_reader
INSERT INTO reader (user) VALUES (:name);

-- name: put_reader_visit
INSERT INTO reader_visit (url, time, reader) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

-- name: visit_totals
SELECT (SELECT count(*) FROM reader_visit), (SELECT count(*) FROM visited_url), (SELECT count(*) FROM reader),
  (SELECT min(time) FROM reader_visit), (SELECT max(time) FROM reader_visit);

-- name: visited_pages
SELECT p.id, p.url, p.weight, p.depth, h.in_hosts
FROM visited_url AS u CROSS JOIN page AS p ON p.url = u.url CROSS JOIN host AS h ON h.id = p.host
WHERE p.rate IS NOT NULL AND p.version IS NOT NULL ORDER BY p.id;

-- name: page_visits
SELECT p.id, v.time, v.reader
FROM page AS p CROSS JOIN visited_url AS u ON u.url = p.url CROSS JOIN reader_visit AS v ON v.url = u.id
WHERE p.id BETWEEN :first AND :last AND v.time > :since AND v.time <= :until ORDER BY p.id, v.time;

-- name: decision_chances
SELECT page, time, chance FROM behaviour_decision WHERE action IN ('passed', 'explored', 'forced') ORDER BY page, time;

-- name: last_decision
SELECT page, time, mode, action, probability, expected, chance, gap, skips, until FROM behaviour_decision
WHERE page = :page ORDER BY time DESC LIMIT 1;

-- name: skipped_pages
SELECT d.page, d.time, d.mode, d.action, d.probability, d.expected, d.chance, d.gap, d.skips, d.until
FROM behaviour_decision AS d JOIN page AS p ON p.id = d.page
WHERE d.action = 'skipped' AND d.time > p.last_visit
  AND NOT EXISTS (SELECT 1 FROM behaviour_decision AS n WHERE n.page = d.page AND n.time > d.time);

-- name: put_decision
INSERT INTO behaviour_decision (page, time, mode, action, probability, expected, chance, gap, skips, until)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (page, time) DO UPDATE SET mode = excluded.mode, action = excluded.action,
  probability = excluded.probability, expected = excluded.expected, chance = excluded.chance, gap = excluded.gap,
  skips = excluded.skips, until = excluded.until;

-- name: expire_decisions
DELETE FROM behaviour_decision WHERE time < :before;

-- name: action_counts
-- And what the next fetch after each decision found.
SELECT mode, action, count(*), count(changed), coalesce(sum(changed), 0) FROM (
  SELECT d.mode, d.action,
    (SELECT v.changed FROM visit AS v
     WHERE v.page = d.page AND v.time > d.time AND v.known_by IN ('digest', '304')
     ORDER BY v.time LIMIT 1) AS changed
  FROM behaviour_decision AS d WHERE d.time >= :since
) AS decided GROUP BY mode, action ORDER BY mode, action;
