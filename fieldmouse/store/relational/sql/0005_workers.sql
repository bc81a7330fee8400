-- Whether a worker has no host to visit; workers that have some let a part of theirs go.
ALTER TABLE worker ADD COLUMN idle INTEGER NOT NULL DEFAULT 0;
