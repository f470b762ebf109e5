-- Trigger function. After an edit of a module was undone: deletes the links between statements that the edit made.
CREATE FUNCTION unlink_undone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
SET enable_seqscan = off
AS $$
BEGIN
  DELETE FROM later_statements l WHERE l.user_id = NEW.user_id AND l.module_id = NEW.module_id AND l.revision = NEW.undoes;
  RETURN NULL;
END
$$;
