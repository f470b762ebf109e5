-- Whether a passage matches the filters of a search; a filter that is null matches everything.
-- One expression without SET clauses, so that the planner inlines it.
CREATE FUNCTION passage_fits(
  p passages, any_tags text[], all_tags text[], kinds text[], since timestamptz, until timestamptz, min_importance float8
) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT (any_tags IS NULL OR (p).tags && any_tags) AND (all_tags IS NULL OR (p).tags @> all_tags)
    AND (kinds IS NULL OR (p).kind = ANY (kinds))
    AND (since IS NULL OR (p).created_at >= since) AND (until IS NULL OR (p).created_at < until)
    AND (min_importance IS NULL OR (p).importance >= min_importance)
$$;
