-- Creates two functions for one vector table. Their statements name the table, so PostgreSQL keeps the plans: planning at each
-- call took longer than a search of few vectors.
-- exact_scan_<items>_<width> compares all vectors of `holders` (agents or archives), unless they have over `max_vectors`, and
-- returns the cosines of the items in `also`, which a search found by words. An item may be in both results. The search by
-- holder is written so that only the index of holders serves it, and the look-up by item so that only the primary key does: with
-- `IS TRUE`, a condition selects no index. A plan is kept, and may have been made for a table of a few rows.
-- `has_more` may be due to another user's archive with the same id; this costs time and changes no result.
-- kin_cosines_<items>_<width> returns, for each pair of an anchor and an item, their cosine (`nears`) and by how much the item is
-- nearer to the query than the anchor (`nearers`).
-- None of the three functions is granted to the runtime's role, because they trust the user id that their caller passes.
CREATE FUNCTION make_exact_scan(items text, width int) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT
AS $$
DECLARE
  home text := (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = 'passages'::regclass);
  name text := 'exact_scan_' || items || '_' || width;
  kin_name text := 'kin_cosines_' || items || '_' || width;
  kind text := (
    SELECT format_type(a.atttypid, NULL) FROM pg_attribute a
    WHERE a.attrelid = (items || '_' || width)::regclass AND a.attname = 'embedding'
  );
  columns record := vector_columns(items);
BEGIN
  EXECUTE format(
    'CREATE FUNCTION %I.%I(
       of_user text, holders uuid[], asked_vector vector, asked_embedder text, wanted int, also uuid[], max_vectors int,
       OUT near_ids uuid[], OUT near_cosines float8[], OUT other_ids uuid[], OUT other_cosines float8[], OUT has_more boolean
     ) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS %L',
    home, name,
    format(
      'DECLARE
         sought %5$s := asked_vector;
       BEGIN
         near_ids := ''{}'';
         near_cosines := ''{}'';
         IF max_vectors IS NOT NULL THEN
           has_more := EXISTS (SELECT FROM %1$I v WHERE v.%2$I = ANY (holders) OFFSET max_vectors);
         END IF;
         IF has_more IS NOT TRUE AND wanted > 0 THEN
           %3$s INTO near_ids, near_cosines;
         END IF;
         SELECT coalesce(array_agg(v.%4$I), ''{}''), coalesce(array_agg(-(v.embedding <#> sought)), ''{}'') INTO other_ids, other_cosines
         FROM %1$I v
         WHERE v.user_id = of_user AND v.%4$I = ANY (also) AND (v.embedder = asked_embedder) IS TRUE;
       END',
      items || '_' || width, columns.holder, nearest_statement(items, width, kind, true, ''), columns.item, kind
    )
  );
  EXECUTE format(
    'CREATE FUNCTION %I.%I(
       of_user text, anchor_ids uuid[], item_ids uuid[], asked_vector vector, asked_embedder text,
       OUT abouts uuid[], OUT ids uuid[], OUT nears float8[], OUT nearers float8[]
     ) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS %L',
    home, kin_name,
    format(
      'DECLARE
         sought %3$s := asked_vector;
       BEGIN
         SELECT array_agg(a.%2$I), array_agg(v.%2$I), array_agg(-(v.embedding <#> a.embedding)), array_agg(a.distance - v.distance)
           INTO abouts, ids, nears, nearers
         FROM (
           SELECT i.%2$I, i.embedding, i.embedding <#> sought AS distance FROM %1$I i
           WHERE i.user_id = of_user AND i.%2$I = ANY (item_ids) AND (i.embedder = asked_embedder) IS TRUE OFFSET 0
         ) v, (
           SELECT i.%2$I, i.embedding, i.embedding <#> sought AS distance FROM %1$I i
           WHERE i.user_id = of_user AND i.%2$I = ANY (anchor_ids) AND (i.embedder = asked_embedder) IS TRUE OFFSET 0
         ) a;
       END',
      items || '_' || width, columns.item, kind
    )
  );
  EXECUTE format('REVOKE ALL ON FUNCTION %I, %I FROM PUBLIC', name, kin_name);
END
$$;
