-- The importance of a passage at a time: 0.3 for its age, halved every 30 days, 0.3 for the logarithm of how often searches found
-- it, and 0.4 for the importance that it was given. The caller gives the time of the runtime's clock, which also dated the
-- passage. The age counts for at most 1000 halvings, because `power` fails for a result that is too small for its type.
-- One expression without settings of its own, so that the planner inlines it.
-- Statements of the runtime's role call this function to choose the passages that retention deletes.
CREATE FUNCTION importance_of(p passages, as_of timestamptz) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT 0.3 * power(0.5, least(greatest(extract(epoch FROM as_of - (p).created_at)::float8, 0) / (30 * 86400), 1000))
    + 0.3 * ln((p).access_count + 1) + 0.4 * (p).importance
$$;
