-- URLs of posts may be longer than a row of a B-tree.
ALTER TABLE post_link DROP CONSTRAINT post_link_pkey;
CREATE UNIQUE INDEX post_link_digest ON post_link (md5(url), post);
CREATE INDEX post_link_url ON post_link USING hash (url);
