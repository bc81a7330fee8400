-- What the tables of the schema need in PostgreSQL.

-- The registrable domain of a host: in SQLite a function of the program.
ALTER TABLE host ADD COLUMN domain text COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX host_domain ON host (domain);

-- Hosts and leases are updated all the time: room for new versions of a row beside the old one.
ALTER TABLE host SET (fillfactor = 80);
ALTER TABLE lease SET (fillfactor = 50);

-- A row of a B-tree has at most 2,704 bytes, and URLs may be longer.
ALTER TABLE page DROP CONSTRAINT page_url_key;
CREATE UNIQUE INDEX page_url_digest ON page (md5(url));
CREATE INDEX page_url ON page USING hash (url);
ALTER TABLE skip DROP CONSTRAINT skip_pkey;
CREATE UNIQUE INDEX skip_url ON skip (host, md5(url));
ALTER TABLE feed DROP CONSTRAINT feed_pkey;
CREATE UNIQUE INDEX feed_url ON feed (host, md5(url));
ALTER TABLE redirect DROP CONSTRAINT redirect_source_target_kind_key;
CREATE UNIQUE INDEX redirect_digest ON redirect (md5(source || ' ' || target), kind);
CREATE INDEX redirect_source ON redirect USING hash (source);
DROP INDEX fingerprint_canonical;
CREATE INDEX fingerprint_canonical ON fingerprint USING hash (canonical) WHERE canonical <> '';

DROP INDEX submission_url;
CREATE INDEX submission_url ON submission USING hash (url);
ALTER TABLE visited_url DROP CONSTRAINT visited_url_url_key;
CREATE UNIQUE INDEX visited_url_digest ON visited_url (md5(url));
CREATE INDEX visited_url_url ON visited_url USING hash (url);
ALTER TABLE post_link DROP CONSTRAINT post_link_pkey;
CREATE UNIQUE INDEX post_link_digest ON post_link (md5(url), post);
CREATE INDEX post_link_url ON post_link USING hash (url);

-- Commits run beside each other. Changes are numbered at their end, one after the other, so that whoever has read up
-- to a number misses none that is committed later.
CREATE FUNCTION log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1718448997, hashtext('changes'));
  INSERT INTO change_log (page, time) VALUES (NEW.page, NEW.time) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER log_change AFTER INSERT ON visit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
WHEN (NEW.changed <> 0 AND NEW.known_by <> 'first') EXECUTE FUNCTION log_change();

-- The main text; the server compresses it.
ALTER TABLE page_text ALTER COLUMN data TYPE text COLLATE "C" USING '';

-- The words of a page with their places; those of the title have the weight A.
CREATE TABLE search (page bigint PRIMARY KEY, words tsvector NOT NULL);
CREATE INDEX search_words ON search USING gin (words);
ALTER TABLE forgotten DROP CONSTRAINT forgotten_pkey;
CREATE UNIQUE INDEX forgotten_digest ON forgotten (md5(url));
CREATE INDEX forgotten_url ON forgotten USING hash (url);

-- Workers of a region look up the links to new hosts. On SQLite there are no regions, and no such index.
CREATE INDEX host_link_target ON host_link (target);


-- The last commit of each session: after a commit whose answer was lost, this tells whether it happened.
CREATE TABLE commit_mark (
  session text PRIMARY KEY,
  mark bigint NOT NULL DEFAULT 0,
  at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
