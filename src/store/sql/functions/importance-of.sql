-- Returns the importance of a passage at the time `as_of`, as a sum: 0.3, halved for every 30 days of its age; 0.3 times the
-- logarithm of how often searches found it; 0.4 times the importance that it was given. `as_of` comes from the runtime's clock,
-- which dated the passage. At most 1000 halvings count, because `power` fails for a result that is too small for its type.
-- One expression without SET clauses, so that the planner inlines it.
-- Statements of the runtime's role call this function to choose the passages that retention deletes.
CREATE FUNCTION importance_of(p passages, as_of timestamptz) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT 0.3 * power(0.5, least(greatest(extract(epoch FROM as_of - (p).created_at)::float8, 0) / (30 * 86400), 1000))
    + 0.3 * ln((p).access_count + 1) + 0.4 * (p).importance
$$;
