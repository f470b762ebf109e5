-- Rounds a score to six digits, so that the order of hits is the same on every server: further digits depend on the order in
-- which a plan adds numbers, and on the processor's instructions for vectors.
-- The function has no SET clauses, so that the planner inlines it.
CREATE FUNCTION rounded(score float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT round(score * 1e6) / 1e6
$$;
