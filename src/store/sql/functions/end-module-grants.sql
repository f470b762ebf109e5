-- Trigger function. After grants of modules were deleted, even by a cascade: removes the modules from the agents of the grants'
-- users. Runs as the owner of the tables, because the agents belong to another user.
CREATE FUNCTION end_module_grants() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  DELETE FROM agent_modules h USING gone g
  WHERE h.user_id = g.user_id AND h.owner_id = g.owner_id AND h.module_id = g.module_id;
  RETURN NULL;
END
$$;
