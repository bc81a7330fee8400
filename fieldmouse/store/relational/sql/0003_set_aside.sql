-- Links that were not followed can be taken up by a later crawl with wider limits.
ALTER TABLE skip ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE skip ADD COLUMN via TEXT NOT NULL DEFAULT '';
