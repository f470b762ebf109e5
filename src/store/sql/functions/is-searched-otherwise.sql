-- Whether an agent is searched with another embedder than that of a search's vector: another process has switched it. Searches then
-- return one row of nulls, without a total. An agent without an embedder of its own is searched with that of the runtime.
-- Not for the runtime's role: it trusts its caller about the user.
CREATE FUNCTION is_searched_otherwise(me text, asked_agent uuid, asked jsonb) RETURNS boolean LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM agent_embedders e
    WHERE e.user_id = me AND e.agent_id = asked_agent AND e.role = 'searched'
      AND (e.embedder <> asked->>'embedder' OR e.dimensions <> (asked->>'dimensions')::int)
  );
END
$$;
