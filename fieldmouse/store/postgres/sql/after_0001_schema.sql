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
DROP INDEX print_canonical;
CREATE INDEX print_canonical ON print USING hash (canonical) WHERE canonical <> '';
