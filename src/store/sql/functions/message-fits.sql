-- Whether a message matches the filters of a search; a filter that is null matches everything.
-- One expression and no settings of its own: the planner inlines it.
CREATE FUNCTION message_fits(
  m messages, all_branches boolean, except_turn uuid, since timestamptz, until timestamptz
) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT (m).search_text IS NOT NULL AND (all_branches OR (m).on_thread)
    AND (except_turn IS NULL OR (m).turn_id <> except_turn)
    AND (since IS NULL OR (m).created_at >= since) AND (until IS NULL OR (m).created_at < until)
$$;
