-- Out of line and not compressed: what people attach is compressed already.
ALTER TABLE "object_parts" ALTER COLUMN "data" SET STORAGE EXTERNAL;
--> statement-breakpoint
-- Which agent an attachment names is settled by its conversation: the foreign key refuses any other.
DO $$
DECLARE
  own text := $own$user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), ''))$own$;
  isolated text;
BEGIN
  FOREACH isolated IN ARRAY ARRAY['attachments', 'object_parts', 'object_deletions']
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO palimpsest_runtime', isolated);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', isolated);
    EXECUTE format('CREATE POLICY own_rows ON %I TO palimpsest_runtime USING (%s) WITH CHECK (%2$s)', isolated, own);
  END LOOP;
END
$$;
--> statement-breakpoint
-- After attachments have gone, by whatever cascade: the objects that no other attachment of the user's names go as well, or are
-- noted as due. It runs as the owner, since a cascade also takes what other users have with an agent. Whoever is about to name
-- an object takes the same lock first, so each statement here sees what was committed before.
CREATE FUNCTION drop_unnamed_objects() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(named.key, 0))
  FROM (SELECT DISTINCT g.user_id || ' ' || g.object_key AS key FROM gone g ORDER BY 1) named;
  INSERT INTO object_deletions (user_id, place, object_key)
  SELECT DISTINCT g.user_id, g.place, g.object_key
  FROM gone g
  WHERE g.place <> 'database'
    AND NOT EXISTS (SELECT FROM attachments a WHERE a.user_id = g.user_id AND a.object_key = g.object_key)
  ON CONFLICT DO NOTHING;
  DELETE FROM object_parts p
  USING (SELECT DISTINCT g.user_id, g.object_key FROM gone g WHERE g.place = 'database') d
  WHERE p.user_id = d.user_id AND p.key = d.object_key
    AND NOT EXISTS (SELECT FROM attachments a WHERE a.user_id = d.user_id AND a.object_key = d.object_key);
  RETURN NULL;
END
$$;
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION drop_unnamed_objects() SET search_path = pg_catalog, %I, pg_temp', current_schema());
  REVOKE ALL ON FUNCTION drop_unnamed_objects() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION drop_unnamed_objects() TO palimpsest_runtime;
END
$$;
--> statement-breakpoint
CREATE TRIGGER attachments_objects AFTER DELETE ON "attachments"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_unnamed_objects();
