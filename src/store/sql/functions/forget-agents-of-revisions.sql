-- Trigger function. After grants of agents were deleted: removes these agents from the revisions of modules that still exist.
CREATE FUNCTION forget_agents_of_revisions() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  UPDATE revisions r SET agent_id = NULL, conversation_id = NULL, message_id = NULL, call_id = NULL
  FROM gone g
  WHERE r.user_id = g.user_id AND r.agent_id = g.agent_id
    AND EXISTS (SELECT FROM modules m WHERE m.user_id = r.user_id AND m.id = r.module_id);
  RETURN NULL;
END
$$;
