-- Which agent a row names is settled by its conversation, which may only name one that the user may use: the foreign key
-- refuses any other. So the policies of what a turn writes most need not ask for every row.
DO $$
DECLARE
  own text := $own$user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), ''))$own$;
  settled text;
BEGIN
  FOREACH settled IN ARRAY ARRAY['messages', 'inputs', 'compactions', 'steps']
  LOOP
    EXECUTE format('ALTER POLICY own_rows ON %I WITH CHECK (%s)', settled, own);
  END LOOP;
END
$$;
