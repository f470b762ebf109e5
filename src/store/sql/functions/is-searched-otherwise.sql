-- Whether another process has switched the agent to another embedder than that of the query's vector. Searches then return one
-- row of nulls, without a total. False for an agent without an embedder of its own, which is searched with the runtime's.
-- Not granted to the runtime's role, because it trusts the user id that its caller passes.
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
