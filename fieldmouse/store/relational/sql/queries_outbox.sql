-- Changes for people, how far they have looked, and the outbox.

-- name: listed_changes
-- The newest first; what was committed after :after, found since :since.
SELECT l.seq, p.id, p.url, p.title, h.name, v.time, v.time - v.gap, v.change_size, v.kinds, v.diff, v.note
FROM change_log AS l CROSS JOIN visit AS v ON v.page = l.page AND v.time = l.time
CROSS JOIN {pages} AS p ON p.id = l.page CROSS JOIN host AS h ON h.id = p.host
WHERE l.time >= :found AND l.seq > :after AND v.changed AND {filter}
ORDER BY l.time DESC, l.seq DESC LIMIT :n;

-- name: changes_to_send
-- The oldest first, up to the first one that a control fetch will judge again.
SELECT l.seq, p.id, p.url, p.title, h.name, v.time, v.time - v.gap, v.change_size, v.kinds, v.diff, v.note
FROM change_log AS l CROSS JOIN visit AS v ON v.page = l.page AND v.time = l.time
CROSS JOIN {pages} AS p ON p.id = l.page CROSS JOIN host AS h ON h.id = p.host
WHERE l.seq > :after AND l.seq < :before AND v.changed AND {filter}
ORDER BY l.seq LIMIT :n;

-- name: first_held_change
SELECT min(l.seq) FROM control_fetch AS c JOIN change_log AS l ON l.page = c.page AND l.time = c.visit
WHERE l.seq > :after;

-- name: last_change
SELECT coalesce(max(seq), 0) FROM change_log;

-- name: change_cursor
SELECT seq, time FROM change_cursor WHERE name = :name;

-- name: put_change_cursor
INSERT INTO change_cursor (name, seq, time) VALUES (:name, :seq, :time)
ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, time = excluded.time;

-- name: advance_change_cursor
-- Only from where it was read: another process may have filled the outbox meanwhile.
UPDATE change_cursor SET seq = :seq, time = :time WHERE name = :name AND seq = :old;

-- name: put_delivery
INSERT INTO delivery (id, channel, target, body, created, due, attempts, error)
VALUES (:id, :channel, :target, :body, :created, :created, 0, '');

-- name: due_deliveries
SELECT id, channel, target, body, created, attempts, error FROM delivery
WHERE due <= :now ORDER BY due, created, id LIMIT :n;

-- name: claim_delivery
UPDATE delivery SET due = :until, attempts = attempts + 1 WHERE id = :id AND attempts = :attempts;

-- name: drop_delivery
DELETE FROM delivery WHERE id = :id;

-- name: postpone_delivery
UPDATE delivery SET due = :due, error = :error WHERE id = :id;

-- name: waiting_deliveries
SELECT count(*), min(created), coalesce(max(error), '') FROM delivery;

-- name: gone_pages
-- Pages that are gone, and links that lead nowhere; the newest first.
SELECT p.url, h.name, p.title, p.status, p.trouble, p.via, p.misses, p.version IS NOT NULL, p.last_visit
FROM {pages} AS p CROSS JOIN host AS h ON h.id = p.host
WHERE p.misses > 0 AND p.last_visit >= :found AND (p.status IN (404, 410) OR (p.status = 0 AND p.trouble <> ''))
  AND {filter}
ORDER BY p.last_visit DESC LIMIT :n;

-- name: moved_pages
-- Pages whose last answer led elsewhere; the newest first.
SELECT p.url, h.name, p.title, p.status, r.target, r.kind, p.version IS NOT NULL, r.time
FROM redirect AS r CROSS JOIN {pages} AS p ON p.url = r.source CROSS JOIN host AS h ON h.id = p.host
WHERE r.time >= :found AND r.certain AND r.time >= p.last_visit - 1 AND {filter}
ORDER BY r.time DESC LIMIT :n;
