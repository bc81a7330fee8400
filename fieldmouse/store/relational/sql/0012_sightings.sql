-- Links to other hosts that are not in `host`, `host_link` and `entry` yet: they are merged several commits at a time.
CREATE TABLE sighting (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
