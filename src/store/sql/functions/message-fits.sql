-- Whether a message matches the filters of a search; a filter that is null matches everything. `said_by` is the
-- name of a speaker, ignoring case, `user` for all messages of that role, or `assistant` for the agent's own.
-- One expression without SET clauses, so that the planner inlines it.
CREATE FUNCTION message_fits(
  m messages, all_branches boolean, except_turn uuid, since timestamptz, until timestamptz, said_by text
) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT (m).search_text IS NOT NULL AND (all_branches OR (m).on_thread)
    AND (except_turn IS NULL OR (m).turn_id <> except_turn)
    AND (since IS NULL OR (m).created_at >= since) AND (until IS NULL OR (m).created_at < until)
    AND (said_by IS NULL OR lower(coalesce((m).speaker, (m).role)) = lower(said_by) OR said_by = 'user' AND (m).role = 'user')
$$;
