-- Trigger function. After agents were deleted, even by a cascade: deletes the owners' data with these agents, and ends the
-- grants of other users. Runs as the owner of the tables, because it changes rows of other users.
CREATE FUNCTION end_grants_of_agent() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM end_grants(g.id, NULL, g.user_id, g.name, g.settings ->> 'timeZone') FROM gone g;
  DELETE FROM grants USING gone g
  WHERE grants.agent_id = g.id AND grants.user_id = g.user_id AND coalesce(grants.owner_id, g.user_id) = g.user_id;
  RETURN NULL;
END
$$;
