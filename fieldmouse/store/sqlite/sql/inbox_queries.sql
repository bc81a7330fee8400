-- Queries of the inbox, a database of its own.

-- name: property
SELECT value FROM property WHERE name = :name;

-- name: add_fact
INSERT INTO property VALUES (:name, :value) ON CONFLICT DO NOTHING;

-- name: add_token
INSERT INTO token (id, name, roles, hash, created) VALUES (:id, :name, :roles, :hash, :created);

-- name: token
SELECT id, name, roles, created, used, revoked, hash FROM token WHERE id = :id;

-- name: tokens
SELECT id, name, roles, created, used, revoked FROM token ORDER BY created, id;

-- name: use_token
UPDATE token SET used = :now WHERE id = :id;

-- name: revoke_tokens
UPDATE token SET revoked = :now WHERE (id = :which OR name = :which) AND revoked IS NULL;

-- name: drop_revoked_sessions
DELETE FROM session WHERE token IN (SELECT id FROM token WHERE revoked IS NOT NULL) OR expires < :now;

-- name: add_session
INSERT INTO session VALUES (:hash, :token, :expires);

-- name: session
SELECT token, expires FROM session WHERE hash = :hash;

-- name: drop_session
DELETE FROM session WHERE hash = :hash;

-- name: add_item
INSERT INTO item (id, kind, user, key, digest, received, url, data, body, size)
VALUES (:id, :kind, :user, :key, :digest, :received, :url, :data, :body, :size)
ON CONFLICT (user, key) DO NOTHING;

-- name: item_by_key
SELECT id, digest FROM item WHERE user = :user AND key = :key;

-- name: item
SELECT seq, id, kind, user, received, data, body, content_score, comment_score, taken FROM item WHERE id = :id;

-- name: pending_items
SELECT seq, id, kind, user, received, data, body, content_score, comment_score, taken
FROM item WHERE taken IS NULL AND seq > :after ORDER BY seq LIMIT :n;

-- name: item_summary
SELECT seq, id, kind, user, received, data, x'', content_score, comment_score, taken FROM item WHERE id = :id;

-- name: pending_of_user
SELECT seq, id, kind, user, received, data, body, content_score, comment_score, taken
FROM item WHERE taken IS NULL AND user = :user AND seq > :after ORDER BY seq LIMIT :n;

-- name: newest_of_user
SELECT seq, id, kind, user, received, data, x'', content_score, comment_score, taken
FROM item WHERE seq IN (
  SELECT seq FROM item WHERE taken IS NULL AND user = :user AND received < :before ORDER BY received DESC LIMIT :n
) ORDER BY received DESC;

-- name: pending_count
SELECT count(*) FROM item WHERE taken IS NULL AND user = :user;

-- name: pending_count_url
SELECT count(*) FROM item WHERE taken IS NULL AND user = :user AND url = :url;

-- name: set_scores
UPDATE item SET content_score = :content, comment_score = :comment WHERE id = :id AND taken IS NULL;

-- name: take_item
UPDATE item SET taken = :now, url = '', data = '', body = x'', content_score = NULL, comment_score = NULL
WHERE id = :id AND taken IS NULL;

-- name: forget_items
DELETE FROM item WHERE taken < :before;

-- name: backlog
SELECT items, bytes, (SELECT received FROM item WHERE taken IS NULL ORDER BY seq LIMIT 1) FROM backlog;
