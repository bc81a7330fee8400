-- Queries of posts.

-- name: is_post
SELECT 1 FROM post WHERE digest = :digest;

-- name: last_post
SELECT coalesce(max(id), 0) FROM post;

-- name: add_post
INSERT INTO post VALUES (?, ?, ?, ?, ?);

-- name: add_post_link
INSERT INTO post_link VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

-- name: named_at
-- When these authors last named these hosts.
SELECT n.host, n.author, n.time FROM json_each(:pairs) AS p
JOIN named_by AS n ON n.host = p.value ->> 0 AND n.author = p.value ->> 1;

-- name: put_named_by
INSERT INTO named_by VALUES (?, ?, ?) ON CONFLICT (host, author) DO UPDATE SET time = excluded.time;

-- name: put_named_host
INSERT INTO named_host VALUES (?, ?, ?, ?, ?) ON CONFLICT (host) DO UPDATE SET
  posts = posts + excluded.posts, first = min(first, excluded.first), last = max(last, excluded.last),
  strength = strength + excluded.strength;

-- name: host_strength
SELECT strength FROM named_host WHERE host = :host;

-- name: set_named
UPDATE host SET named = ?, priority = ? WHERE id = ?;

-- name: hosts_named
SELECT id, named FROM host WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts));

-- name: first_mention
SELECT p.author, p.time, p.source, l.words,
  (SELECT count(*) FROM post_link WHERE url = :url),
  (SELECT max(o.time) FROM post_link AS m JOIN post AS o ON o.id = m.post WHERE m.url = :url)
FROM post_link AS l JOIN post AS p ON p.id = l.post WHERE l.url = :url ORDER BY p.time, p.id LIMIT 1;

-- name: host_mentions
SELECT n.posts, (SELECT count(*) FROM named_by AS b WHERE b.host = n.host), n.first, n.last, h.named
FROM named_host AS n JOIN host AS h ON h.id = n.host WHERE h.name = :host;
