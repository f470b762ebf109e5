-- Row-level security: the runtime's role uses only rows that the user of its transaction owns, or that are shared with that
-- user. Row-level security is enabled and not forced, because the owner of the tables migrates, backs up and restores.
-- The user is read in a subquery, so that PostgreSQL evaluates it once for a statement and can look it up in an index.

-- Every table is isolated: `npm run generate` writes the names of all tables into this statement. Listed here are the tables with
-- a condition for written rows; in the others a row only has to belong to the transaction's user, as every row does.
-- Messages, inputs, compactions, turns, steps, events and attachments name an agent without a condition for it: a foreign key
-- requires the agent of their conversation, which the policy of conversations has checked. This saves a turn a function call
-- for each row.
DO $$
DECLARE
  own text := $own$user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), ''))$own$;
  isolated record;
BEGIN
  FOR isolated IN
    SELECT name, allowed FROM unnest(ARRAY[{{tables}}]) name
    FULL JOIN (VALUES
      -- A new agent must not have the id of another user's agent of which this user has a grant or an offer: a user has at most
      -- one grant and one offer per id. The user's own agent has a grant already, so an offer does not prevent its change.
      ('agents', 'NOT EXISTS (SELECT FROM grants g WHERE g.user_id = agents.user_id AND g.agent_id = id AND g.owner_id IS DISTINCT FROM agents.user_id)
        AND (NOT EXISTS (SELECT FROM offers o WHERE o.user_id = agents.user_id AND o.agent_id = id)
          OR EXISTS (SELECT FROM grants g WHERE g.user_id = agents.user_id AND g.agent_id = id))'),
      ('agent_embedders', 'may_read_agent(agent_id)'),
      -- An agent can hold a module of another user only while that user shares it.
      ('agent_modules', 'may_read_agent(agent_id) AND (scope = ''user'' OR owns_agent(agent_id))
        AND (owner_id = user_id OR may_see_module(owner_id, module_id))'),
      ('revisions', 'agent_id IS NULL OR may_read_agent(agent_id)'),
      ('conversations', 'may_read_agent(agent_id)'),
      ('tool_calls', 'may_read_agent(agent_id)'),
      ('agent_sources', 'may_read_agent(agent_id)'),
      ('passages', 'may_read_archive(coalesce(agent_id, source_id))'),
      ('synopses', 'may_read_agent(agent_id)'),
      ('sweeps', 'may_read_agent(agent_id)'),
      ('consolidations', 'may_read_agent(agent_id)'),
      ('schedules', 'may_read_agent(agent_id)'),
      ('keys', '(agent_id IS NULL OR may_read_agent(agent_id))'),
      ('agent_tools', 'may_read_agent(agent_id)')
    ) t (name, allowed) USING (name)
    WHERE name NOT IN ('offers', 'grants', 'module_grants')
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO palimpsest_runtime', isolated.name);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', isolated.name);
    EXECUTE format(
      'CREATE POLICY own_rows ON %I TO palimpsest_runtime USING (%s) WITH CHECK (%s)',
      isolated.name, own, concat_ws(' AND ', own, '(' || isolated.allowed || ')')
    );
  END LOOP;
END
$$;
--> statement-breakpoint
-- Sharing: both users can read and delete an offer. An owner can write a grant only for themselves. A user can delete an ended
-- grant. A grant's user can read it, and so can the owner while it is usable; functions do the rest. A user with a usable grant
-- can also read the agent and its modules of scope `agent`. Functions write grants of modules; both users can delete them.
GRANT SELECT, INSERT, UPDATE, DELETE ON offers, grants, module_grants TO palimpsest_runtime;
--> statement-breakpoint
ALTER TABLE offers ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE grants ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE module_grants ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
DO $$
DECLARE
  me text := $me$(SELECT nullif(current_setting('palimpsest.user_id', true), ''))$me$;
  granted text := format('IN (SELECT g.owner_id, g.agent_id FROM grants g WHERE g.user_id = %s AND g.is_usable)', me);
BEGIN
  EXECUTE format(
    'CREATE POLICY both_sides ON offers TO palimpsest_runtime USING (user_id = %1$s OR owner_id = %1$s) WITH CHECK (false)', me
  );
  EXECUTE format(
    'CREATE POLICY own_rows ON grants TO palimpsest_runtime USING (user_id = %1$s AND NOT is_usable)
     WITH CHECK (user_id = %1$s AND owner_id = %1$s AND owns_agent(agent_id))', me
  );
  EXECUTE format(
    'CREATE POLICY both_sides ON grants FOR SELECT TO palimpsest_runtime
     USING (user_id = %1$s OR (owner_id = %1$s AND is_usable))', me
  );
  EXECUTE format('CREATE POLICY granted_rows ON agents FOR SELECT TO palimpsest_runtime USING ((user_id, id) %s)', granted);
  -- PostgreSQL evaluates these policies only for rows that `own_rows` does not admit, because their names sort after it. If a
  -- user shares a module with an agent's owner, the agent's other users cannot read it: `owner_id = user_id` excludes it.
  EXECUTE format(
    'CREATE POLICY shared_rows ON agent_modules FOR SELECT TO palimpsest_runtime
     USING (scope = ''agent'' AND owner_id = user_id AND (user_id, agent_id) %s)', granted
  );
  EXECUTE format(
    'CREATE POLICY shared_rows ON modules FOR SELECT TO palimpsest_runtime USING (user_id <> %s AND may_see_module(user_id, id))', me
  );
  -- guard_module restricts which columns are changed, and how.
  EXECUTE format(
    'CREATE POLICY shared_writes ON modules FOR UPDATE TO palimpsest_runtime
     USING (user_id <> %1$s AND may_edit_module(user_id, id)) WITH CHECK (user_id <> %1$s AND may_edit_module(user_id, id))', me
  );
  EXECUTE format(
    'CREATE POLICY shared_rows ON revisions FOR SELECT TO palimpsest_runtime
     USING ((user_id, module_id) IN (SELECT g.owner_id, g.module_id FROM module_grants g WHERE g.user_id = %1$s AND g.is_accepted
       AND revision > g.since))', me
  );
  EXECUTE format(
    'CREATE POLICY shared_writes ON revisions FOR INSERT TO palimpsest_runtime
     WITH CHECK (user_id <> %1$s AND editor_id = %1$s AND trust = ''external'' AND may_edit_module(user_id, module_id))', me
  );
  EXECUTE format(
    'CREATE POLICY both_sides ON module_grants TO palimpsest_runtime USING (user_id = %1$s OR owner_id = %1$s) WITH CHECK (false)', me
  );
END
$$;
