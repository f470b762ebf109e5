-- The importance of a passage: 0.3 for its age, halved every 30 days, 0.3 for the logarithm of how often searches found it, and
-- 0.4 for the importance that it was given. One expression and no settings of its own: the planner inlines it.
-- The runtime's role calls it to choose what retention deletes, under the policies.
CREATE FUNCTION importance_of(p passages) RETURNS float8 LANGUAGE sql STABLE AS $$
  SELECT 0.3 * power(0.5, greatest(extract(epoch FROM now() - (p).created_at)::float8, 0) / (30 * 86400))
    + 0.3 * ln((p).access_count + 1) + 0.4 * (p).importance
$$;
