-- The estimated share of a crawl's newest pages that are on its topic, with bounds; NULL before it can be told.
ALTER TABLE guide ADD COLUMN share REAL;
ALTER TABLE guide ADD COLUMN share_low REAL;
ALTER TABLE guide ADD COLUMN share_high REAL;
