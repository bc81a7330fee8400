-- Workers that joined. :clock is the time of the engine: that of the caller, or that of the server.

-- name: join_worker
INSERT OR REPLACE INTO worker (name, machine, pid, started, seen, state, visits, stored, failures, region, slot)
VALUES (:name, :machine, :pid, :clock, :clock, 'running', 0, 0, 0, :region, :slot);

-- name: report_worker
UPDATE worker SET seen = :clock, visits = :visits, stored = :stored, failures = :failures, idle = :idle
WHERE name = :name RETURNING state;

-- name: idle_workers
-- Others that have no host to visit and may visit those of this worker.
SELECT count(*) FROM worker AS w JOIN worker AS mine ON mine.name = :name AND w.region IN ('', mine.region)
WHERE w.idle = 1 AND w.name <> :name AND w.state = 'running' AND w.seen > :clock - :seconds;

-- name: joined_idle
-- Of all regions: others may not visit every host.
SELECT count(*) FROM worker WHERE idle = 1 AND region = '' AND state = 'running' AND seen > :clock - :seconds;

-- name: leave_worker
UPDATE worker SET state = 'ended', idle = 0, seen = :clock WHERE name = :name;

-- name: drain_workers
UPDATE worker SET state = 'draining' WHERE state = 'running' AND (:name = '' OR name = :name) RETURNING region, slot;

-- name: end_slot
UPDATE worker SET state = 'draining' WHERE state = 'running' AND slot = :slot;

-- name: forget_workers
DELETE FROM worker WHERE seen < :clock - :seconds;

-- name: workers
SELECT w.name, w.machine, w.pid, w.started, :clock - w.seen, w.state, w.visits, w.stored, w.failures,
       (SELECT count(*) FROM lease AS l WHERE l.worker = w.name), w.region, w.slot, w.idle,
       w.seen - w.started
FROM worker AS w ORDER BY w.started, w.name;

-- name: live_workers
SELECT name FROM worker WHERE state <> 'ended' AND seen > :clock - :seconds;

-- name: put_ip_rest
INSERT INTO ip_rest (ip, worker, ready_at) VALUES (?, ?, ?)
ON CONFLICT (ip) DO UPDATE SET worker = excluded.worker, ready_at = max(ready_at, excluded.ready_at);

-- name: ip_rest
SELECT ready_at FROM ip_rest WHERE ip = :ip AND worker <> :worker AND ready_at > :now;

-- name: forget_ip_rests
DELETE FROM ip_rest WHERE ready_at < :now;
