-- Ends the grants of an agent: of one user, or with null of all but the owner. Their conversations are closed by the foreign
-- key, and their leases are taken away, so that the next commit of a running turn is refused. A grant under which its user
-- keeps nothing is deleted. Conversations are locked before grants, in the order in which a turn locks them.
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
  WHERE g.agent_id = ended AND g.user_id <> owner AND (of_user IS NULL OR g.user_id = of_user) AND g.is_usable;
  is_any := FOUND;
  UPDATE conversations c SET lease_fence = c.lease_fence + 1, lease_holder = NULL, lease_expires_at = NULL
  WHERE c.agent_id = ended AND NOT c.is_open AND (of_user IS NULL OR c.user_id = of_user);
  DELETE FROM grants g
  WHERE g.agent_id = ended AND NOT g.is_usable AND (of_user IS NULL OR g.user_id = of_user)
    AND NOT EXISTS (SELECT FROM conversations c WHERE c.user_id = g.user_id AND c.agent_id = ended)
    AND NOT EXISTS (SELECT FROM passages p WHERE p.user_id = g.user_id AND p.agent_id = ended);
  RETURN is_any;
END
$$;
