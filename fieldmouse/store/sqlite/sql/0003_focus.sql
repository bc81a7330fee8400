-- What a focused crawl needs: how likely each waiting address is on the topic and how far from it, how pages
-- turned out, and what the guide learned so far.

ALTER TABLE site ADD COLUMN level INTEGER NOT NULL DEFAULT 0;   -- pages off the topic in a row, up to this one
ALTER TABLE entry ADD COLUMN score REAL NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN level INTEGER NOT NULL DEFAULT 0;
ALTER TABLE host ADD COLUMN score REAL;                         -- of its best address; NULL: nobody judged it

-- Every page that was judged, while crawling or afterwards.
CREATE TABLE judgement (
  topic TEXT NOT NULL,
  page INTEGER NOT NULL,
  time REAL NOT NULL,
  score REAL NOT NULL,              -- how likely it is on the topic; above .5 it is
  expected REAL,                    -- what its link promised; NULL when it was judged afterwards
  level INTEGER NOT NULL,           -- the level counter: pages off the topic in a row, this one counted
  judge TEXT NOT NULL,              -- the learner of the crawl, or classify
  reasons TEXT NOT NULL,            -- which words spoke, and how strongly
  promise TEXT NOT NULL,            -- which evidence spoke for the link, and how strongly
  PRIMARY KEY (topic, page)
) WITHOUT ROWID;

-- The Relevant Table and the Irrelevant Table of Safran et al.
CREATE VIEW relevant_table AS
SELECT j.topic, p.url, j.score, j.expected, j.time, j.judge, j.reasons, j.promise
FROM judgement AS j JOIN page AS p ON p.id = j.page WHERE j.score > 0.5;

CREATE VIEW irrelevant_table AS
SELECT j.topic, p.url, j.level, j.score, j.expected, j.time, j.judge, j.reasons, j.promise
FROM judgement AS j JOIN page AS p ON p.id = j.page WHERE j.score <= 0.5;

-- Pages on the topic against pages judged: a row for every fifty of a crawl, and one for where it stands now.
CREATE TABLE harvest (
  topic TEXT NOT NULL, learner TEXT NOT NULL, pages INTEGER NOT NULL, relevant INTEGER NOT NULL,
  PRIMARY KEY (topic, learner, pages)
) WITHOUT ROWID;

-- What each worker's guide learned, as it was at that commit.
CREATE TABLE guide (
  topic TEXT NOT NULL, learner TEXT NOT NULL, worker TEXT NOT NULL, time REAL NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (topic, learner, worker)
);
