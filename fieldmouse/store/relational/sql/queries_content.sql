-- Objects of shared content that nobody needs. :clock is the time of the engine.

-- name: put_deletion
INSERT OR IGNORE INTO deletion (key, due) VALUES (?, ?);

-- name: deleted_object
SELECT 1 FROM deletion WHERE key IN (SELECT value FROM json_each(:keys)) LIMIT 1;

-- name: due_deletions
SELECT key FROM deletion WHERE deleted IS NULL AND due <= :clock ORDER BY key;

-- name: mark_deleted
UPDATE deletion SET deleted = ? WHERE key = ?;

-- name: forget_deletions
DELETE FROM deletion WHERE deleted < :before;

-- name: known_objects
SELECT kind || '/' || name FROM file WHERE name IN (SELECT value FROM json_each(:names));
