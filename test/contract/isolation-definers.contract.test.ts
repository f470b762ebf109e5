// No function of the database's gives a user another user's rows or changes them. The list of functions is derived from the
// catalogue: one without a case below fails. On the engine at hand.
import { createHash } from "node:crypto";
import type { Transaction } from "../../src/store/connection/transaction.ts";
import { failureOf, openScene, rowsOf, rowsOfAda, secret, withoutUser } from "../support/isolation-scene.ts";
import { useScene } from "../support/use-scene.ts";
import { words } from "../support/words.ts";

const scene = useScene(() => openScene());

const noSpan = "null, null, null, false, null, true, 0, 10";
const askedOfMessages = JSON.stringify({
  pattern: "%secret%",
  words: "secret",
  word_candidates: 10,
  expanded: 10,
  own_weight: 3,
  context_weight: 1,
  rarity_weight: 1,
});

/** Each function of the database's, called with Ada's ids. `$1` is her agent, and `$2` the user who asks. */
const statements: Readonly<Record<string, string>> = {
  may_read_agent: "select where may_read_agent($1::uuid)",
  may_read_archive: "select where may_read_archive($1::uuid)",
  owns_agent: "select where owns_agent($1::uuid)",
  share_agent: "select where share_agent($1::uuid, coalesce($2, 'eve'))",
  accept_offer: "select where accept_offer($1::uuid)",
  search_messages: `select * from search_messages($1::uuid, '${askedOfMessages}', 0, 10)`,
  messages_of_span: `select * from messages_of_span($1::uuid, ${noSpan})`,
  search_passages: `select * from search_passages($1::uuid, '{"pattern": "%secret%", "words": "secret", "word_candidates": 10}', 0, 10)`,
};

/** The first makes tables without rows, the others have tests of their own. */
const testedApart = words(`
  ensure_vector_tables unshare_agent verify_key users_with_unfinished_turns may_see_module may_edit_module
  share_module accept_module
`);

/** Called by functions that run as the owner, and by nobody else. */
const innerFunctions = words(`
  any_of_terms any_term current_passage end_grants ends_as_question is_searched_otherwise linked_statements
  make_exact_scan message_fits nearest_statement nearest_vectors neighbours_of passage_fits rank_messages
  rank_passages rarest_terms replacement_of rounded selective_terms statement_groups terms_of vector_columns
`);

/** One expression of built-in functions each, so that the planner sees what stands in them. */
const inlinedFunctions = words(`
  ends_as_question importance_of message_fits nearest_statement neighbours_of passage_fits plain_words rounded
  vector_columns
`);

/** Run by triggers alone. A role that may execute one may attach it to a table of its own, and give it rows to act on. */
const triggerFunctions = words(`
  drop_node_objects drop_nodes_of_conversations drop_unheld_modules drop_unnamed_objects end_grants_of_agent
  end_module_grants forget_agents_of_revisions forget_editors forget_synopses guard_module link_passages
  relink_replaced unlink_undone
`);

/** Two for each table of vectors, called like the inner ones. */
const scanName = /^(?:exact_scan|kin_cosines)_(?:passages|messages)_\d+$/u;

interface FunctionRow {
  readonly name: string;
  readonly is_definer: boolean;
  readonly is_trigger: boolean;
  readonly search_path: string | null;
  readonly is_public: boolean;
  readonly is_granted: boolean;
}

/** The functions in the schema of the tables that no extension brought. */
const functionsOfDatabase = (): Promise<readonly FunctionRow[]> =>
  scene.test.ownerRows<FunctionRow>(`
    select p.proname as name, p.prosecdef as is_definer, p.prorettype = 'trigger'::regtype as is_trigger,
      (select setting from unnest(p.proconfig) setting where setting like 'search_path=%') as search_path,
      has_function_privilege('public', p.oid, 'execute') as is_public,
      has_function_privilege('palimpsest_runtime', p.oid, 'execute') as is_granted
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    order by 1`);

describe("a database function", () => {
  it("that runs as the owner has a case here", async () => {
    const definers = (await functionsOfDatabase()).filter((one) => one.is_definer);
    // PostgreSQL itself lets nobody call a trigger's function.
    const called = definers.filter((one) => !one.is_trigger).map(({ name }) => name);
    expect(called).toEqual([...Object.keys(statements), ...testedApart].toSorted());
    expect(definers.filter((one) => one.is_trigger).map(({ name }) => name)).toEqual(triggerFunctions);
  });

  it("that runs as the owner is in this list if the runtime's role may execute it, in any schema", async () => {
    const executable = await scene.test.ownerRows<{ readonly name: string }>(`
      select p.proname as name from pg_proc p
      where p.prosecdef and has_function_privilege('palimpsest_runtime', p.oid, 'execute') order by 1`);
    expect(executable.map(({ name }) => name)).toEqual(
      words(`
        accept_module accept_offer ensure_vector_tables may_edit_module may_read_agent may_read_archive may_see_module
        messages_of_span owns_agent search_messages search_passages share_agent share_module unshare_agent
        users_with_unfinished_turns verify_key
      `),
    );
  });

  it("has a pinned search path, and only the runtime's role may call it", async () => {
    const found = await functionsOfDatabase();
    expect(found.filter(({ name }) => scanName.test(name)).length).toBeGreaterThanOrEqual(4);
    for (const each of found) {
      const isInner = [...innerFunctions, ...triggerFunctions].includes(each.name) || scanName.test(each.name);
      expect(each).toMatchObject({ is_public: false, is_granted: !isInner });
      if (!inlinedFunctions.includes(each.name)) {
        // Not the one of the caller, which begins with "$user"; pg_catalog is searched first when a path does not name it.
        expect(each.search_path).toMatch(/^search_path=(?:[a-z_]+, )+pg_temp$/u);
      }
    }
  });

  it.each(Object.keys(statements))("%s returns no row without a user", async (name) => {
    const before = await rowsOfAda(scene);
    const parameters = [scene.hidden.agentId, ...(statements[name]!.includes("$2") ? [null] : [])];
    const ask = withoutUser(scene, (tx) => tx.run(statements[name]!, parameters));
    expect(await ask).toEqual([]);
    expect(await rowsOfAda(scene)).toEqual(before);
  });

  it.each(Object.keys(statements))("%s returns no row to a stranger, and one to Ada", async (name) => {
    const before = await rowsOfAda(scene);
    const ask = (userId: string) => {
      const parameters = [scene.hidden.agentId, ...(statements[name]!.includes("$2") ? [userId] : [])];
      return scene.database.transaction(userId, (tx) => tx.run(statements[name]!, parameters));
    };
    expect(await ask("eve")).toEqual([]);
    expect((await ask("ada")).length).toBeGreaterThan(0);
    expect(await rowsOfAda(scene)).toEqual(before);
  });

  it.each(["search_messages", "messages_of_span", "search_passages"])(
    "%s returns only Ben's rows to Ben",
    async (name) => {
      const found = await scene.database.transaction("ben", (tx) => tx.run(statements[name]!, [scene.shared.agentId]));
      expect(JSON.stringify(found)).not.toContain(secret);
    },
  );

  it("unshare_agent ends a grant only for the owner and the user of the grant", async () => {
    const before = [await rowsOfAda(scene), await rowsOf(scene, "ben")];
    const isEnded = "select unshare_agent($1::uuid, 'ben') as ended";
    const ask = (tx: Transaction) => tx.run(isEnded, [scene.shared.agentId]);
    expect(await withoutUser(scene, ask)).toEqual([{ ended: false }]);
    expect(await scene.database.transaction("eve", ask)).toEqual([{ ended: false }]);
    expect([await rowsOfAda(scene), await rowsOf(scene, "ben")]).toEqual(before);
  });

  it("verify_key returns what a key allows to whoever has its hash, and changes its last use alone", async () => {
    const before = await rowsOfAda(scene);
    const hash = createHash("sha256").update(scene.hidden.keyId).digest("hex");
    const ask = (asked: string) => (tx: Transaction) => tx.run("select * from verify_key($1)", [asked]);
    for (const other of ["", "%", hash.toUpperCase(), hash.slice(1), scene.hidden.keyId]) {
      expect(await withoutUser(scene, ask(other))).toEqual([]);
    }
    expect(await rowsOfAda(scene)).toEqual(before);
    const found = { user_id: "ada", key_id: scene.hidden.keyId, agent_id: scene.hidden.agentId, scope: "chat" };
    expect(await withoutUser(scene, ask(hash))).toEqual([found]);
    await scene.test.ownerRows("update keys set last_used_at = null");
    expect(await rowsOfAda(scene)).toEqual(before);
  });

  it("users_with_unfinished_turns names the users who have turns to continue, and nothing of the turns", async () => {
    const ask = () =>
      withoutUser(scene, (tx) => tx.run("select * from users_with_unfinished_turns($1, $2) order by 1", [true, 0]));
    // The scene has a queued message between agents of each user.
    expect(await ask()).toEqual([{ user_id: "ada" }, { user_id: "ben" }]);
    await scene.test.ownerRows("update agent_messages set status = 'ended'");
    expect(await ask()).toEqual([]);
    await scene.test.ownerRows("update turns set is_served = true, stop_reason = null where user_id = 'ada'");
    await scene.test.ownerRows("update inputs set is_served = true where user_id = 'ben' and status = 'queued'");
    const before = [await rowsOfAda(scene), await rowsOf(scene, "ben")];
    expect(await ask()).toEqual([{ user_id: "ada" }, { user_id: "ben" }]);
    expect([await rowsOfAda(scene), await rowsOf(scene, "ben")]).toEqual(before);
  });

  it.each([
    ["may_see_module", "may_see_module('ada', $1::uuid)"],
    ["may_edit_module", "may_edit_module('ada', $1::uuid)"],
    ["share_module", "share_module($1::uuid, 'eve', 'write')"],
    ["accept_module", "accept_module($1::uuid)"],
  ])("%s is false without a user and for a stranger, and changes nothing", async (_, call) => {
    const before = [await rowsOfAda(scene), await rowsOf(scene, "someone")];
    const ask = (tx: Transaction) => tx.run(`select ${call} as answer`, [scene.hidden.moduleId]);
    expect(await withoutUser(scene, ask)).toEqual([{ answer: false }]);
    expect(await scene.database.transaction("eve", ask)).toEqual([{ answer: false }]);
    expect([await rowsOfAda(scene), await rowsOf(scene, "someone")]).toEqual(before);
  });

  it("accept_module gives what was offered to the user to whom it was", async () => {
    const ask = (call: string) =>
      scene.database.transaction("someone", (tx) => tx.run(`select ${call} as answer`, [scene.hidden.moduleId]));
    const rights = "may_see_module('ada', $1::uuid) and may_edit_module('ada', $1::uuid)";
    expect(await ask(rights)).toEqual([{ answer: false }]);
    expect(await ask("accept_module($1::uuid)")).toEqual([{ answer: true }]);
    expect(await ask(rights)).toEqual([{ answer: true }]);
  });

  it.each(triggerFunctions)("%s cannot be attached to a table of the runtime's role", async (name) => {
    const attached = scene.database.transaction("eve", async (tx) => {
      await tx.run(`create temporary table "of ${name}" (user_id text, place text, object_key text)`, []);
      await tx.run(`create trigger forged after delete on "of ${name}" for each row execute function ${name}()`, []);
    });
    expect(await failureOf(attached)).toBe("42501");
  });

  it("finds the real table even if a temporary table has the same name", async () => {
    const rows = await scene.database.transaction("eve", async (tx) => {
      await tx.run("create temporary table agents (id uuid, user_id text)", []);
      await tx.run("insert into pg_temp.agents values ($1::uuid, 'eve')", [scene.hidden.agentId]);
      return tx.run(statements["owns_agent"]!, [scene.hidden.agentId]);
    });
    expect(rows).toEqual([]);
  });
});
