// No function of the store, and none of the database's, gives a user another user's rows or changes them. The lists of
// functions are derived, from a UserStore and from the catalogue: one without a case below fails. On the engine at hand.
import type { UserStore } from "../../src/memory/store.ts";
import {
  type FilledTalk,
  type IsolationScene,
  openScene,
  rowsOfAda,
  secret,
  vector,
  withoutUser,
} from "../support/isolation-scene.ts";
import {
  beginning,
  human,
  ids,
  newCompaction,
  newFile,
  newMessage,
  newStep,
  settings,
  ttlMs,
} from "../support/store-builders.ts";

let scene: IsolationScene;

beforeAll(async () => {
  scene = await openScene();
});

afterAll(() => scene.close());

type Call = (user: UserStore, of: FilledTalk) => Promise<unknown>;

/** What a stranger is given, or the code of the error. */
interface PortCase {
  readonly call: Call;
  readonly gives: unknown;
}

const page = { page: 0, pageSize: 10 };
const nothing = { rows: [], total: 0 };
const noAgent = "agent_not_found";
const noConversation = "conversation_not_found";
const cause = { origin: "user" } as const;
const change = { label: "human", scope: "user", revision: 1, before: "", after: "changed" } as const;
const now = new Date("2026-11-21T10:00:00Z");
const approved = { verdict: "approved", by: "user", reason: null, arguments: null, at: now } as const;
const callOf = ({ conversationId, waitingMessageId }: FilledTalk) => ({
  conversationId,
  messageId: waitingMessageId,
  callId: "call-2",
});
/** All that can go, a year from now. */
const sweepOf = ({ agentId, sweepId }: FilledTalk) => ({
  id: sweepId,
  agentId,
  at: new Date(Date.now() + 366 * 86_400_000),
  limits: { messages: { days: 1 }, revisions: { days: 1 }, steps: { days: 1 } },
});
const reply = (of: FilledTalk) => newMessage({ parentId: of.messageId, role: "assistant", text: "intrusion" });

const cases: Readonly<Record<string, PortCase>> = {
  // The id alone is a key: a second agent of that id is refused by it, whoever makes it.
  "agents.create": {
    call: (user, of) => user.agents.create({ ...agentLike, id: of.agentId }),
    gives: "store_failed",
  },
  "agents.find": { call: (user, of) => user.agents.find(of.agentId), gives: null },
  "agents.list": {
    call: async (user, of) => (await user.agents.list()).filter(({ id }) => id === of.agentId),
    gives: [],
  },
  "agents.update": { call: (user, of) => user.agents.update(of.agentId, { name: "mine" }), gives: noAgent },
  "agents.delete": { call: (user, of) => user.agents.delete(of.agentId), gives: noAgent },
  "agents.share": { call: (user, of) => user.agents.share(of.agentId, user.userId), gives: noAgent },
  "modules.list": { call: (user, of) => user.modules.list(of.agentId), gives: noAgent },
  "modules.addMissing": {
    call: (user, of) => user.modules.addMissing(of.agentId, [{ ...human, label: "new", scope: "agent" }]),
    gives: noAgent,
  },
  "modules.change": { call: (user, of) => user.modules.change(of.agentId, [change], cause), gives: noAgent },
  "modules.revisions": { call: (user, of) => user.modules.revisions(of.agentId, { limit: 10 }), gives: noAgent },
  "modules.madeBy": {
    call: (user, of) => user.modules.madeBy(of.agentId, [of.callMessageId]),
    gives: noAgent,
  },
  "conversations.create": {
    call: (user, of) => user.conversations.create({ id: ids.next(), agentId: of.agentId }),
    gives: noAgent,
  },
  "conversations.find": { call: (user, of) => user.conversations.find(of.conversationId), gives: null },
  "conversations.list": {
    call: async (user, of) =>
      (await user.conversations.list(of.agentId, 10)).filter(({ id }) => id === of.conversationId),
    gives: [],
  },
  "conversations.thread": { call: (user, of) => user.conversations.thread(of.conversationId), gives: noConversation },
  "conversations.branches": {
    call: (user, of) => user.conversations.branches(of.conversationId),
    gives: noConversation,
  },
  "conversations.place": {
    call: (user, of) => user.conversations.place(of.conversationId, of.messageId),
    gives: noConversation,
  },
  "conversations.path": {
    call: (user, of) => user.conversations.path(of.conversationId, { through: of.messageId, limit: 10 }),
    gives: noConversation,
  },
  "conversations.moveLeaf": {
    call: (user, of) =>
      user.conversations.moveLeaf(of.lease, {
        from: of.messageId,
        to: null,
        changes: [change],
        passages: "delete",
      }),
    gives: noConversation,
  },
  "conversations.delete": { call: (user, of) => user.conversations.delete(of.conversationId), gives: noConversation },
  "conversations.countUnfinished": {
    call: (user) => user.conversations.countUnfinished(),
    gives: { conversations: 0, calls: 0 },
  },
  "compactions.add": {
    call: (user, of) =>
      user.compactions.add(of.lease, [newCompaction({ throughId: of.messageId, throughPosition: 1 })]),
    gives: noConversation,
  },
  "compactions.undo": { call: (user, of) => user.compactions.undo(of.lease), gives: noConversation },
  "compactions.list": { call: (user, of) => user.compactions.list(of.conversationId, 10), gives: noConversation },
  "compactions.messages": {
    call: (user, of) => user.compactions.messages(of.conversationId, { fromPosition: 1, throughPosition: 1000 }),
    gives: noConversation,
  },
  "leases.take": {
    call: (user, of) => user.leases.take({ conversationId: of.conversationId, claimant: "intruder", ttlMs }),
    gives: noConversation,
  },
  "leases.renew": { call: (user, of) => user.leases.renew(of.lease, ttlMs), gives: "lease_lost" },
  "leases.release": { call: (user, of) => user.leases.release(of.lease), gives: undefined },
  "inputs.enqueue": {
    call: (user, of) => user.inputs.enqueue(of.conversationId, { idempotencyKey: "intrusion", content: [] }),
    gives: noConversation,
  },
  "inputs.withdraw": {
    call: (user, of) => user.inputs.withdraw(of.conversationId, `waiting: ${secret}`),
    gives: false,
  },
  "inputs.abandoned": { call: (user, of) => user.inputs.abandoned(of.conversationId), gives: [] },
  "conversations.saveSnapshot": {
    call: (user, of) => user.conversations.saveSnapshot(of.lease, { text: secret, values: {}, trust: "user" }),
    gives: noConversation,
  },
  "steps.list": { call: (user, of) => user.steps.list(of.conversationId, 10), gives: noConversation },
  "steps.find": { call: (user, of) => user.steps.find(of.conversationId, 1), gives: noConversation },
  "turns.begin": {
    call: (user, of) =>
      user.turns.begin(beginning(of, { leafId: of.messageId, messages: [reply(of)], key: `key of ${secret}` })),
    gives: noConversation,
  },
  "turns.commitReply": {
    call: (user, of) => user.turns.commitReply({ ...of, message: reply(of), step: newStep(ids.next()) }),
    gives: noConversation,
  },
  "turns.commitToolResult": {
    call: (user, of) =>
      user.turns.commitToolResult({
        ...of,
        message: reply(of),
        callId: "call-1",
        toolName: "core_memory_append",
        status: "ok",
        changes: [change],
        passages: [{ id: ids.next(), content: "intrusion", tags: [], kind: "fact" }],
        trust: "model",
      }),
    gives: noConversation,
  },
  "turns.append": { call: (user, of) => user.turns.append(of.lease, [reply(of)]), gives: noConversation },
  "turns.commitMemory": {
    call: (user, of) =>
      user.turns.commitMemory({ ...of, messageId: of.callMessageId, changes: [change], trust: "model" }),
    gives: noConversation,
  },
  "steps.usageSamples": { call: (user) => user.steps.usageSamples("demo", 20), gives: [] },
  "approvals.request": {
    call: (user, of) =>
      user.approvals.request(of.lease, { ...callOf(of), arguments: "{}", requestedAt: now, expiresAt: null }),
    gives: noConversation,
  },
  "approvals.decide": {
    call: (user, of) => user.approvals.decide(of.lease, callOf(of), approved),
    gives: noConversation,
  },
  "approvals.ofMessage": { call: (user, of) => user.approvals.ofMessage(of.waitingMessageId), gives: [] },
  "approvals.waiting": {
    call: async (user, of) =>
      (await user.approvals.waiting(of.agentId)).filter(({ messageId }) => messageId === of.waitingMessageId),
    gives: noAgent,
  },
  "attachments.reserve": {
    call: (user, of) => user.attachments.reserve(of.conversationId, "database", [newFile("intrusion")]),
    gives: noConversation,
  },
  "attachments.markStored": { call: (user, of) => user.attachments.markStored([of.attachmentId]), gives: undefined },
  "attachments.objectOf": { call: (user, of) => user.attachments.objectOf(of.attachmentId), gives: null },
  "attachments.discard": { call: (user, of) => user.attachments.discard([of.attachmentId]), gives: undefined },
  "attachments.dueDeletions": {
    call: async (user, of) =>
      (await user.attachments.dueDeletions("elsewhere")).filter(({ objectKey }) => objectKey === of.objectKey),
    gives: [],
  },
  "attachments.deletionDone": {
    call: (user, of) => user.attachments.deletionDone({ place: "elsewhere", objectKey: of.objectKey }),
    gives: undefined,
  },
  "attachments.count": {
    call: async (user) => (await user.attachments.count()).missing,
    gives: 0,
  },
  "objects.create": {
    call: (user, of) => user.objects.create(`${of.objectKey}-intrusion`, Buffer.from("intrusion")),
    gives: true,
  },
  "objects.get": { call: (user, of) => user.objects.get(of.objectKey), gives: null },
  "objects.delete": { call: (user, of) => user.objects.delete(of.objectKey), gives: undefined },
  "retention.begin": {
    call: (user, of) => user.retention.begin({ ...sweepOf(of), id: ids.next(), unlessAfter: null }),
    gives: noAgent,
  },
  "retention.drop": {
    call: async (user, of) => [
      await user.retention.drop({ ...sweepOf(of), kind: "messages", batch: 10 }),
      await user.retention.drop({ ...sweepOf(of), kind: "revisions", batch: 10 }),
      await user.retention.drop({ ...sweepOf(of), kind: "steps", batch: 10 }),
    ],
    gives: noAgent,
  },
  "retention.list": {
    call: async (user, of) => (await user.retention.list(of.agentId, 10)).filter(({ id }) => id === of.sweepId),
    gives: noAgent,
  },
  "recall.search": {
    call: async (user, of) => [
      await user.recall.search({ agentId: of.agentId, text: secret, ...page }),
      await user.recall.search({ agentId: of.agentId, span: {}, ...page }),
    ],
    gives: [nothing, nothing],
  },
  "passages.add": {
    call: (user, of) =>
      user.passages.add(of.agentId, [{ id: of.passageId, content: "x", tags: [], kind: "fact" }], "user"),
    gives: noAgent,
  },
  "passages.search": {
    call: (user, of) =>
      user.passages.search({
        agentId: of.agentId,
        text: secret,
        meaning: { vector, embedder: "test", dimensions: 512, floor: 0 },
        ...page,
      }),
    gives: nothing,
  },
  "passages.list": { call: (user, of) => user.passages.list(of.agentId, page), gives: nothing },
  "passages.after": { call: (user, of) => user.passages.after(of.agentId, null, 10), gives: [] },
  "passages.count": { call: (user, of) => user.passages.count(of.agentId, 100), gives: 0 },
  "passages.delete": { call: (user, of) => user.passages.delete(of.agentId, of.passageId), gives: false },
  "passages.withoutVector": {
    call: (user, of) => user.passages.withoutVector(of.agentId, { embedder: "other", dimensions: 512, limit: 10 }),
    gives: [],
  },
  "passages.addVectors": {
    call: (user, of) =>
      user.passages.addVectors(of.agentId, {
        embedder: "other",
        dimensions: 512,
        rows: [{ passageId: of.passageId, vector }],
      }),
    gives: undefined,
  },
  "passages.countWithoutVector": {
    call: (user) => user.passages.countWithoutVector({ embedder: "other", dimensions: 512 }),
    gives: [],
  },
  "holdings.count": {
    call: (user) => user.holdings.count(),
    gives: { agents: 1, sharedWith: 0, conversations: 0, messages: 0, passages: 0 },
  },
  "holdings.delete": { call: (user) => user.holdings.delete(), gives: undefined },
};

const agentLike = {
  name: "of another",
  model: "demo",
  protocol: "native",
  memoryType: "chat",
  systemPrompt: "",
  settings,
  modules: [],
} as const;

/** The functions of a store, `aggregate.name` each. */
function functionsOf(user: UserStore): readonly string[] {
  return Object.entries(user).flatMap(([aggregate, functions]) =>
    Object.entries(typeof functions === "object" ? (functions as object) : {})
      .filter(([, value]) => typeof value === "function")
      .map(([name]) => `${aggregate}.${name}`),
  );
}

/** What the call gives, or the code of its error. */
async function outcomeOf({ call }: PortCase, user: UserStore, of: FilledTalk): Promise<unknown> {
  return call(user, of).catch((error: unknown) => (error as { readonly code: string }).code);
}

describe("a function of the store", () => {
  it("has its case here, whichever there are", () => {
    expect(Object.keys(cases).toSorted()).toEqual(functionsOf(scene.ada).toSorted());
  });

  it.each(Object.keys(cases))("%s gives a stranger nothing of Ada's and changes nothing", async (name) => {
    const before = await rowsOfAda(scene);
    expect(await outcomeOf(cases[name]!, scene.eve, scene.hidden)).toEqual(cases[name]!.gives);
    expect(await rowsOfAda(scene)).toEqual(before);
  });

  // Ben's deletion takes Ada's grant to him with it: test/contract/deletion.contract.test.ts.
  const bens = Object.keys(cases).filter((name) => name !== "holdings.delete");

  it.each(bens)("%s gives Ben, who may use the agent, none of Ada's memory with it", async (name) => {
    const before = await rowsOfAda(scene);
    const outcome = await outcomeOf(cases[name]!, scene.ben, scene.shared);
    expect(JSON.stringify(outcome) ?? "").not.toContain(secret);
    expect(await rowsOfAda(scene)).toEqual(before);
  });
});

const noSpan = "null, null, null, true, 0, 10";

/** Each function of the database's, called with Ada's ids. `$1` is her agent, and `$2` the user who asks. */
const statements: Readonly<Record<string, string>> = {
  may_use_agent: "select where may_use_agent($1::uuid)",
  may_use_archive: "select where may_use_archive($1::uuid)",
  owns_agent: "select where owns_agent($1::uuid)",
  share_agent: "select where share_agent($1::uuid, coalesce($2, 'eve'))",
  search_messages: `select * from search_messages($1::uuid, '%secret%', 'secret', null, ${noSpan})`,
  messages_of_span: `select * from messages_of_span($1::uuid, ${noSpan})`,
  search_passages: `select * from search_passages($1::uuid, '{"pattern": "%secret%", "words": "secret", "word_candidates": 10}', 0, 10)`,
};

/** Called by functions that run as the owner, and by nobody else. */
const innerFunctions = ["any_of_terms", "cosines_of", "importance_of", "nearest_vectors", "passage_fits"];

/** One expression of built-in functions each, so that the planner sees what stands in them. */
const inlinedFunctions = ["importance_of", "passage_fits", "plain_words"];

interface FunctionRow {
  readonly name: string;
  readonly is_definer: boolean;
  readonly is_trigger: boolean;
  readonly search_path: string | null;
  readonly is_public: boolean;
  readonly is_granted: boolean;
}

/** The functions in the schema of the tables that no extension brought. */
function functionsOfDatabase(): Promise<readonly FunctionRow[]> {
  return scene.test.ownerRows<FunctionRow>(`
    select p.proname as name, p.prosecdef as is_definer, p.prorettype = 'trigger'::regtype as is_trigger,
      (select setting from unnest(p.proconfig) setting where setting like 'search_path=%') as search_path,
      has_function_privilege('public', p.oid, 'execute') as is_public,
      has_function_privilege('palimpsest_runtime', p.oid, 'execute') as is_granted
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    order by 1`);
}

describe("a function of the database", () => {
  it("that runs as the owner has its case here, whichever there are", async () => {
    const definers = (await functionsOfDatabase()).filter((one) => one.is_definer);
    // PostgreSQL itself lets nobody call a trigger's function.
    const called = definers.filter((one) => !one.is_trigger).map(({ name }) => name);
    expect(called).toEqual([...Object.keys(statements), "ensure_vector_tables"].toSorted());
    expect(definers.filter((one) => one.is_trigger).map(({ name }) => name)).toEqual(["drop_unnamed_objects"]);
  });

  it("has its search path pinned, and may be called by the runtime's role alone", async () => {
    for (const found of await functionsOfDatabase()) {
      expect(found).toMatchObject({ is_public: false, is_granted: !innerFunctions.includes(found.name) });
      if (!inlinedFunctions.includes(found.name)) {
        expect(found.search_path).toMatch(/^search_path=pg_catalog, .*, pg_temp$/u);
      }
    }
  });

  it.each(Object.keys(statements))("%s gives no row without a user", async (name) => {
    const before = await rowsOfAda(scene);
    const parameters = [scene.hidden.agentId, ...(statements[name]!.includes("$2") ? [null] : [])];
    const ask = withoutUser(scene, (tx) => tx.run(statements[name]!, parameters));
    expect(await ask).toEqual([]);
    expect(await rowsOfAda(scene)).toEqual(before);
  });

  it.each(Object.keys(statements))("%s gives a stranger no row, and Ada one", async (name) => {
    const before = await rowsOfAda(scene);
    const ask = (userId: string) => {
      const parameters = [scene.hidden.agentId, ...(statements[name]!.includes("$2") ? [userId] : [])];
      return scene.database.transaction(userId, (tx) => tx.run(statements[name]!, parameters));
    };
    expect(await ask("eve")).toEqual([]);
    expect((await ask("ada")).length).toBeGreaterThan(0);
    expect(await rowsOfAda(scene)).toEqual(before);
  });

  it.each(["search_messages", "messages_of_span", "search_passages"])("%s gives Ben only what is his", async (name) => {
    const found = await scene.database.transaction("ben", (tx) => tx.run(statements[name]!, [scene.shared.agentId]));
    expect(JSON.stringify(found)).not.toContain(secret);
  });

  it("is found by its own name also when a temporary table stands before the real one", async () => {
    const rows = await scene.database.transaction("eve", async (tx) => {
      await tx.run("create temporary table agents (id uuid, user_id text)", []);
      await tx.run("insert into pg_temp.agents values ($1::uuid, 'eve')", [scene.hidden.agentId]);
      return tx.run(statements["owns_agent"]!, [scene.hidden.agentId]);
    });
    expect(rows).toEqual([]);
  });
});
