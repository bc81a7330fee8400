"""The only room with SQL and files: WARC, the database, the tag index."""
