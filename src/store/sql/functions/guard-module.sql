-- Trigger function. Refuses an update of another user's module unless only its text changes, by one revision and with the
-- lowest trust class. A read-only module cannot change; under a grant to append, the new text must begin with the old one.
-- Allows all updates if no user is set: the tables' owner migrates and restores. `isRefusedWrite` recognizes the SQLSTATE.
CREATE FUNCTION guard_module() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
  granted text;
  allowed modules%ROWTYPE := OLD;
BEGIN
  IF me IS NULL THEN
    RETURN NEW;
  END IF;
  SELECT g.access INTO granted FROM module_grants g
  WHERE g.user_id = me AND g.owner_id = OLD.user_id AND g.module_id = OLD.id AND g.is_accepted;
  allowed.value := NEW.value;
  allowed.revision := OLD.revision + 1;
  allowed.trust := 'external';
  allowed.line_trust := NULL;
  allowed.updated_at := NEW.updated_at;
  IF NEW IS DISTINCT FROM allowed OR OLD.read_only OR granted IS NULL OR granted = 'read'
    OR (granted = 'append' AND NOT starts_with(NEW.value, OLD.value)) THEN
    RAISE EXCEPTION 'Another user''s module can only be changed as its grant allows.' USING ERRCODE = 'PM001';
  END IF;
  RETURN NEW;
END
$$;
