-- Trigger function. After grants of modules were deleted, by whatever cascade: the agents of their users lose these modules. It runs
-- as the owner of the tables, because the holders are another user's.
CREATE FUNCTION end_module_grants() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  DELETE FROM agent_modules h USING gone g
  WHERE h.user_id = g.user_id AND h.owner_id = g.owner_id AND h.module_id = g.module_id;
  RETURN NULL;
END
$$;
