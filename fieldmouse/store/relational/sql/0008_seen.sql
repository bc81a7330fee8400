-- Until when a reader has seen the changes.
CREATE TABLE seen (reader TEXT PRIMARY KEY, time REAL NOT NULL) WITHOUT ROWID;
