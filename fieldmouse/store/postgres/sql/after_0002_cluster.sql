-- Workers of a region look up the links to new hosts. On SQLite there are no regions, and no such index.
CREATE INDEX host_link_target ON host_link (target);
