-- Queries that only SQLite has.

-- name: integrity
PRAGMA integrity_check;
