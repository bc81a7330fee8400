-- What the shared queries call and PostgreSQL does not have, and the version of the schema.

CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL);

CREATE OR REPLACE FUNCTION iif(boolean, anycompatible, anycompatible) RETURNS anycompatible
LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $1 THEN $2 ELSE $3 END';

-- Of two values; NULL if one of them is.
CREATE OR REPLACE FUNCTION min(anycompatible, anycompatible) RETURNS anycompatible
LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL ELSE least($1, $2) END';
CREATE OR REPLACE FUNCTION max(anycompatible, anycompatible) RETURNS anycompatible
LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL ELSE greatest($1, $2) END';

CREATE OR REPLACE FUNCTION add_true(bigint, boolean) RETURNS bigint
LANGUAGE sql IMMUTABLE AS 'SELECT coalesce($1, 0) + CASE WHEN $2 THEN 1 ELSE 0 END';
CREATE OR REPLACE AGGREGATE sum(boolean) (sfunc = add_true, stype = bigint);

CREATE OR REPLACE FUNCTION round(double precision, bigint) RETURNS double precision
LANGUAGE sql IMMUTABLE AS 'SELECT CAST(round(CAST($1 AS numeric), CAST($2 AS integer)) AS double precision)';

-- A time as text, as the views for users show it.
CREATE OR REPLACE FUNCTION iso(double precision) RETURNS text
LANGUAGE sql IMMUTABLE AS
$$SELECT to_char(to_timestamp($1) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')$$;

-- Main texts are stored as they are; the server compresses them.
CREATE OR REPLACE FUNCTION unpacked(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1';

-- The clock of leases: that of the server, so that no worker's clock decides when a lease ends.
CREATE OR REPLACE FUNCTION lease_clock() RETURNS double precision
LANGUAGE sql VOLATILE AS 'SELECT extract(epoch FROM clock_timestamp())::double precision';

CREATE OR REPLACE FUNCTION unhex(text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$SELECT decode($1, 'hex')$$;

-- An object of names and values, empty without any.
CREATE OR REPLACE FUNCTION add_member(jsonb, text, anyelement) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS 'SELECT $1 || jsonb_build_object($2, $3)';
CREATE OR REPLACE AGGREGATE json_group_object(text, anyelement) (sfunc = add_member, stype = jsonb, initcond = '{}');
