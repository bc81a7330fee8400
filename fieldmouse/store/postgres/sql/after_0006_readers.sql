-- URLs of readers may be longer than a row of a B-tree.
DROP INDEX submission_url;
CREATE INDEX submission_url ON submission USING hash (url);
ALTER TABLE visited_url DROP CONSTRAINT visited_url_url_key;
CREATE UNIQUE INDEX visited_url_digest ON visited_url (md5(url));
CREATE INDEX visited_url_url ON visited_url USING hash (url);
