-- Trigger function. After passages were deleted, even by a cascade: clears the synopses that were made from them, and removes
-- these from the memory snapshots that prompts are made from. A transaction that is about to write a synopsis locks the
-- passages first (src/store/archive/synopsis-store.ts), so their deletion waits for that transaction and finds its synopsis.
-- Runs as the owner of the tables, because a cascade also deletes what other users have with an agent.
CREATE FUNCTION forget_synopses() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  UPDATE synopses s SET content = NULL, passages = '{}'
  FROM (SELECT g.user_id, g.agent_id, array_agg(g.id) AS ids FROM gone g WHERE g.agent_id IS NOT NULL GROUP BY 1, 2) d
  WHERE s.user_id = d.user_id AND s.agent_id = d.agent_id AND s.passages && d.ids;
  UPDATE conversations c SET memory_snapshot = c.memory_snapshot - 'synopsis'
  FROM (SELECT g.user_id, g.agent_id, array_agg(g.id::text) AS ids FROM gone g WHERE g.agent_id IS NOT NULL GROUP BY 1, 2) d
  WHERE c.user_id = d.user_id AND c.agent_id = d.agent_id AND c.memory_snapshot ? 'synopsis'
    AND c.memory_snapshot->'synopsis'->'passages' ?| d.ids;
  RETURN NULL;
END
$$;
