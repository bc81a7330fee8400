-- Queries of the inbox, a database of its own.

-- name: fact
SELECT value FROM fact WHERE name = :name;

-- name: add_fact
INSERT INTO fact VALUES (:name, :value) ON CONFLICT DO NOTHING;

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
