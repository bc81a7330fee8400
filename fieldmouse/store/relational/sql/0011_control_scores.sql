-- What the visit that a control fetch checks was scored with, so that the score can be corrected.

ALTER TABLE control_fetch ADD COLUMN source TEXT NOT NULL DEFAULT ''; -- of the announcement that it agreed with
ALTER TABLE control_fetch ADD COLUMN validated INTEGER NOT NULL DEFAULT 0; -- 1: the validators agreed
