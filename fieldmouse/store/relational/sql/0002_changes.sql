-- What changed at a visit, and what was learned about noise.

ALTER TABLE visit ADD COLUMN change_size REAL NOT NULL DEFAULT 0; -- share of the words that differ and count
ALTER TABLE visit ADD COLUMN kinds TEXT NOT NULL DEFAULT '';      -- numbers, words, items added, ...
ALTER TABLE visit ADD COLUMN diff TEXT NOT NULL DEFAULT '';       -- the differences, as JSON

-- The learned noise of a host and of its pages; `HostNoise.saved` and `PageNoise.saved`.
DROP TABLE host_noise;
CREATE TABLE host_noise (host TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE page_noise (page INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- What a user decided about the noise of a host.
CREATE TABLE noise_override (
  host TEXT NOT NULL,
  what TEXT NOT NULL,               -- a rule, or a place as a number
  state TEXT NOT NULL,              -- muted: never counts; counted: always counts
  PRIMARY KEY (host, what)
) WITHOUT ROWID;

-- Pages that are fetched once more within minutes, to tell noise from a change.
CREATE TABLE control_fetch (
  page INTEGER PRIMARY KEY,
  due REAL NOT NULL,
  visit REAL NOT NULL,              -- the time of the visit that it checks
  day INTEGER                       -- on which that visit was forecast; NULL if it was not
);

-- Every change, with its size, its kinds and its differences.
CREATE VIEW changes AS
SELECT p.url, v.time, v.change_size AS size, v.kinds, v.diff, v.note
FROM visit AS v JOIN page AS p ON p.id = v.page WHERE v.changed;
