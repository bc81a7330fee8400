
-- Commits run beside each other. Changes are numbered at their end, one after the other, so that whoever has read up
-- to a number misses none that is committed later.
DROP TRIGGER log_change ON visit;
CREATE OR REPLACE FUNCTION log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1718448997, hashtext('changes'));
  INSERT INTO change_log (page, time) VALUES (NEW.page, NEW.time) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER log_change AFTER INSERT ON visit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
WHEN (NEW.changed <> 0 AND NEW.known_by <> 'first') EXECUTE FUNCTION log_change();
