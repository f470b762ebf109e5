-- Trigger function. After agents lost modules, even by a cascade: deletes the modules that were made for an agent and that no
-- agent holds any more. Runs as the owner of the tables, because a module can belong to another user.
CREATE FUNCTION drop_unheld_modules() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  DELETE FROM modules m USING gone g
  WHERE m.user_id = g.owner_id AND m.id = g.module_id AND NOT m.is_kept AND NOT EXISTS (
    SELECT FROM agent_modules h WHERE h.owner_id = m.user_id AND h.module_id = m.id
  );
  RETURN NULL;
END
$$;
