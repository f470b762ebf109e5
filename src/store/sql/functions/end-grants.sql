-- Ends the grants of an owner's agent: of one user or, if `of_user` is null, of all users except the owner. A foreign key
-- closes these users' conversations; their leases are revoked, so that the next commit of a running turn is refused. A grant is
-- deleted if its user has no conversation or passage with the agent. Conversations are locked before grants, the order in which
-- a turn locks them. A grant without an owner has ended before, or its owner is being deleted in this statement.
CREATE FUNCTION end_grants(ended uuid, of_user text, owner text, name text, zone text) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT
AS $$
DECLARE
  is_any boolean;
BEGIN
  PERFORM FROM conversations c
  WHERE c.agent_id = ended AND c.user_id <> owner AND (of_user IS NULL OR c.user_id = of_user)
  ORDER BY c.user_id, c.id
  FOR UPDATE;
  UPDATE grants g SET is_usable = false, ended_at = now(), agent_name = name, time_zone = coalesce(zone, 'UTC')
  WHERE g.agent_id = ended AND g.user_id <> owner AND coalesce(g.owner_id, owner) = owner AND (of_user IS NULL OR g.user_id = of_user)
    AND g.is_usable;
  is_any := FOUND;
  UPDATE conversations c SET lease_fence = c.lease_fence + 1, lease_holder = NULL, lease_expires_at = NULL
  WHERE c.agent_id = ended AND NOT c.is_open AND (of_user IS NULL OR c.user_id = of_user)
    AND EXISTS (SELECT FROM grants g WHERE g.user_id = c.user_id AND g.agent_id = ended AND coalesce(g.owner_id, owner) = owner);
  DELETE FROM grants g
  WHERE g.agent_id = ended AND NOT g.is_usable AND coalesce(g.owner_id, owner) = owner AND (of_user IS NULL OR g.user_id = of_user)
    AND NOT EXISTS (SELECT FROM conversations c WHERE c.user_id = g.user_id AND c.agent_id = ended)
    AND NOT EXISTS (SELECT FROM passages p WHERE p.user_id = g.user_id AND p.agent_id = ended);
  RETURN is_any;
END
$$;
