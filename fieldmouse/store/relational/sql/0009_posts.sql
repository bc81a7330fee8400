-- Posts that named addresses (`import --posts`), and how often and how lately a host was named.

CREATE TABLE post (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,      -- of its id, or of its author, time and text: a post is imported once
  author TEXT NOT NULL,             -- salted hash; empty if unknown
  time REAL NOT NULL,               -- when it was posted; when it was imported if the file does not say
  source TEXT NOT NULL              -- name of the file
);
CREATE TABLE post_link (
  url TEXT NOT NULL, post INTEGER NOT NULL,
  words TEXT NOT NULL,              -- anchor and words around the address
  PRIMARY KEY (url, post)
) WITHOUT ROWID;
CREATE INDEX post_link_post ON post_link (post);

-- The last time that somebody named a host. Nobody counts twice.
CREATE TABLE named_by (
  host INTEGER NOT NULL, author TEXT NOT NULL, time REAL NOT NULL, PRIMARY KEY (host, author)
) WITHOUT ROWID;
CREATE TABLE named_host (
  host INTEGER PRIMARY KEY,
  posts INTEGER NOT NULL,
  first REAL NOT NULL,
  last REAL NOT NULL,
  strength REAL NOT NULL            -- sum of 2 ^ ((time - 2020) / 30 days) over those who named it
);
-- The strength as of the last import that named it: people who named it lately. A part of its priority.
ALTER TABLE host ADD COLUMN named REAL NOT NULL DEFAULT 0;
