// Agents, calls that wait, keys and identities.
import type { GroupRows } from "../parity-row.ts";
import type { Person } from "../parity-scene.ts";
import { agentDetails, agentShape, pairs, pick } from "./shapes.ts";

const sharedWith = "grace";

/** What is no longer known of an agent. */
const unknownFacts = { description: null, tags: null, model: null, protocol: null, memoryType: null, createdAt: null };

export const agentRows: GroupRows<"agents"> = {
  list: {
    async args(person) {
      await person.agent({ tags: ["sea"] });
      await person.runtime.agents.create({ name: "other", persona: "", human: "" });
      return [{ tags: ["sea"], order: "newest", limit: 5 }];
    },
    gives: [{ name: "main", tags: ["sea"], ownerId: "user", model: "asked" }],
    cli: () => ["agents", "list", "--tag", "sea"],
    json: (agents) => agents.map(agentShape),
  },
  count: { args: async (person) => (await person.agent(), []), gives: 1 },
  tags: { args: async (person) => (await person.agent({ tags: ["sea", "air"] }), []), gives: ["air", "sea"] },
  find: {
    args: async (person) => [await person.agent({ description: "Sails.", tags: ["sea"] })],
    gives: { name: "main", description: "Sails.", tags: ["sea"], settings: { maxSteps: 50 } },
    cli: ([agent]) => ["agents", "show", agent],
    json: (agent) => ({ ...agentDetails(agent), recipients: [] }),
  },
  create: {
    async args({ named, runtime }) {
      const texts = [...(await runtime.starters.personas()), ...(await runtime.starters.humans())];
      const [persona = "", human = ""] = ["researcher", "developer"].map(
        (word) => texts.find(({ name }) => name === word)?.text,
      );
      return [{ name: named("main"), persona, human, model: "asked" }];
    },
    gives: { name: "main", description: null, model: "asked", memoryType: "chat", protocol: "native" },
    leaves: [
      ({ runtime }) => runtime.memory.show("main"),
      [{ label: "persona", value: expect.stringContaining("Vesper") }, { label: "human" }],
    ],
    cli: ([{ name }]) => ["agents", "add", name, "--persona", "researcher", "--human", "developer", "--model", "asked"],
    json: agentDetails,
  },
  update: {
    args: async (person) => [await person.agent(), { maxSteps: 7, timeZone: "Europe/Berlin" }],
    gives: { settings: { maxSteps: 7, timeZone: "Europe/Berlin", keepLast: 10 } },
    leaves: [({ runtime }) => runtime.agents.find("main"), { settings: { maxSteps: 7 } }],
    cli: ([agent, settings]) => ["agents", "set", ...pairs(settings), "-a", agent],
    json: agentDetails,
  },
  setSystemPrompt: {
    args: async (person) => [await person.agent(), "You are Bo."],
    gives: { name: "main", systemPrompt: "You are Bo." },
    leaves: [({ runtime }) => runtime.agents.find("main"), { systemPrompt: "You are Bo." }],
  },
  setDetails: {
    args: async (person) => [
      await person.agent(),
      { name: "sam", description: "Sails.", tags: ["sea"], metadata: { a: 1 }, model: "asked", baseUrl: null },
    ],
    gives: { name: "sam", description: "Sails.", tags: ["sea"], metadata: { a: 1 }, model: "asked" },
    leaves: [({ runtime }) => runtime.agents.list(), [{ name: "sam", metadata: { a: 1 } }]],
    // `chat --model` changes the model.
    cli: ([agent, { model: _model, baseUrl: _baseUrl, ...details }]) => [
      "agents",
      "set",
      ...pairs(details),
      "-a",
      agent,
    ],
    json: agentDetails,
  },
  setModel: {
    args: async (person) => [await person.agent(), "asked", { baseUrl: null }],
    gives: { name: "main", model: "asked", settings: { baseUrl: null } },
    unknown: { model: "config_invalid" },
  },
  open: { args: async (person) => [await person.agent()], gives: { opened: { name: "main" } } },
  openForTurn: {
    args: async (person) => [(await person.talk()).conversation],
    gives: { opened: { name: "main" } },
    unknown: { conversation: "conversation_not_found" },
  },
  delete: {
    args: async (person) => [await person.agent()],
    gives: null,
    leaves: [({ runtime }) => runtime.agents.list(), []],
    cli: ([agent]) => ["agents", "remove", agent, "--yes"],
  },
  share: {
    args: async (person) => [await person.agent(), sharedWith],
    gives: null,
    leaves: [({ runtime }) => runtime.agents.recipients("main"), [{ userId: sharedWith, state: "offered" }]],
    cli: ([agent, user]) => ["agents", "share", agent, user],
  },
  unshare: {
    async args(person) {
      const agent = await person.agent();
      await person.runtime.agents.share(agent, sharedWith);
      return [agent, sharedWith];
    },
    gives: true,
    leaves: [({ runtime }) => runtime.agents.recipients("main"), []],
    cli: ([agent, user]) => ["agents", "unshare", agent, user],
  },
  recipients: {
    async args(person) {
      const agent = await person.agent();
      await person.runtime.agents.share(agent, sharedWith);
      return [agent];
    },
    gives: [{ userId: sharedWith, state: "offered" }],
    cli: ([agent]) => ["agents", "show", agent],
    json: null,
  },
  offers: {
    args: async (person) => (await person.offer("agent"), []),
    gives: [{ name: "user-friend/lent", ownerId: "user-friend" }],
    cli: () => ["agents", "offers"],
  },
  accept: {
    args: async (person) => [await person.offer("agent")],
    gives: { name: "user-friend/lent", ownerId: "user-friend" },
    leaves: [({ runtime }) => runtime.agents.list(), [{ name: "user-friend/lent" }]],
    cli: ([offer]) => ["agents", "accept", offer],
    json: agentDetails,
  },
  decline: {
    args: async (person) => [await person.offer("agent")],
    gives: null,
    leaves: [({ runtime }) => runtime.agents.offers(), []],
    cli: ([offer]) => ["agents", "decline", offer],
  },
  leave: {
    async args(person) {
      const { name } = await person.runtime.agents.accept(await person.offer("agent"));
      await person.runtime.conversations.create(name);
      return [name];
    },
    gives: null,
    leaves: [({ runtime }) => runtime.agents.former(), [{ name: "user-friend/lent" }]],
    cli: ([agent]) => ["agents", "leave", agent],
  },
  former: {
    async args(person) {
      const { name } = await person.runtime.agents.accept(await person.offer("agent"));
      await person.runtime.conversations.create(name);
      await person.runtime.agents.leave(name);
      return [];
    },
    gives: [{ name: "user-friend/lent", ownerId: "user-friend" }],
    cli: () => ["agents", "list"],
    json: (agents) => agents.map((agent) => ({ ...unknownFacts, ...pick("id", "name", "ownerId", "endedAt")(agent) })),
  },
  export: {
    args: async (person) => [(await person.talk()).agent],
    gives: { agents: [{ name: "main" }], palimpsest: { version: 1 } },
    cli: ([agent]) => ["agents", "export", "-", "-a", agent],
    prints: "json",
  },
  import: {
    async args(person) {
      const file = await person.runtime.agents.export(await person.agent());
      return [file, { name: person.named("copy"), keepTrust: true, withoutMessages: true }];
    },
    gives: { agents: [{ name: "copy", model: "asked" }], notes: [] },
    leaves: [({ runtime }) => runtime.agents.count(), 2],
    cli: ([file, { name } = {}]) => ({
      argv: ["agents", "import", "-", "--name", name ?? "", "--keep-trust", "--without-messages"],
      input: JSON.stringify(file),
    }),
    json: ({ agents, counts, notes }) => ({ agents: agents.map(agentShape), counts, notes }),
  },
  importLetta: {
    args: () => ["postgresql://nobody:secret@127.0.0.1:9/letta", { dryRun: true }],
    gives: { code: "import_invalid" },
    cli: ([url]) => ["import", "letta", "--database", url, "--dry-run"],
  },
};

/** Agents of which the first has written to the second. */
async function written(person: Person): Promise<string> {
  const { runtime, named } = person;
  const other = named("other");
  await runtime.agents.create({ name: other, persona: "", human: "" });
  const call = `CALL message_agent ${JSON.stringify({ to: other, text: "Ahoy." })}`;
  const { agent } = await person.talk(call, { addedTools: ["message_agent"] });
  await runtime.idle();
  return agent;
}

export const agentMessageRows: GroupRows<"agentMessages"> = {
  list: {
    args: async (person) => [await written(person), { limit: 5 }],
    gives: [{ text: "Ahoy.", hop: 1, waits: false, answers: null, status: "ended", outcome: "end-turn" }],
    cli: ([agent, { limit } = {}]) => ["agents", "messages", agent, "--limit", String(limit)],
  },
  deliver: {
    args: async (person) => (await written(person), []),
    gives: null,
    leaves: [({ runtime }) => runtime.agentMessages.list("main"), [{ status: "ended" }]],
  },
};

export const approvalRows: GroupRows<"approvals"> = {
  list: {
    args: async (person) => [(await person.waiting()).talk.agent],
    gives: [{ toolName: "add_carefully", arguments: '{"a":1,"b":2}', awaits: "approval", decision: null }],
    cli: ([agent]) => ["approvals", "list", "-a", agent],
  },
};

export const keyRows: GroupRows<"keys"> = {
  create: {
    args: async (person) => [{ name: "phone", scope: "chat", agent: await person.agent() }],
    gives: { name: "phone", scope: "chat", lastUsedAt: null, revokedAt: null },
    leaves: [({ runtime }) => runtime.keys.list(), [{ name: "phone", scope: "chat" }]],
    cli: ([{ agent = "" } = {}]) => ["keys", "create", "--name", "phone", "--scope", "chat", "--agent", agent],
    unknown: { agent: "agent_not_found" },
  },
  list: {
    async args(person) {
      const { id } = await person.runtime.keys.create({ name: "old", scope: "admin" });
      await person.runtime.keys.revoke(id);
      await person.runtime.keys.create({ name: "phone", agent: await person.agent() });
      return [];
    },
    gives: [
      { name: "phone", scope: "chat", revokedAt: null },
      { name: "old", scope: "admin", agentId: null },
    ],
    cli: () => ["keys", "list"],
  },
  revoke: {
    args: async (person) => [(await person.runtime.keys.create({ name: "old" })).id],
    gives: null,
    leaves: [({ runtime }) => runtime.keys.list().then(([key]) => key?.revokedAt === null), false],
    cli: ([id]) => ["keys", "revoke", id],
    json: (_, [id]) => ({ revoked: id }),
  },
};

const properties = [{ key: "age", type: "number", value: 36 }] as const;
const ada = { key: "ada", name: "Ada", kind: "org", properties } as const;

export const identityRows: GroupRows<"identities"> = {
  create: {
    args: () => [ada],
    gives: ada,
    leaves: [({ runtime }) => runtime.identities.list(), [ada]],
    cli: ([identity]) => ["identities", "add", ...pairs(identity)],
  },
  find: {
    args: async (person) => [await person.identity()],
    gives: { key: "ada", name: "Ada", kind: "user", properties: [] },
    cli: ([id]) => ["identities", "show", id],
  },
  list: {
    async args(person) {
      const id = await person.identity();
      await person.runtime.identities.create({ key: "acme", name: "Acme", kind: "org" });
      return [{ kind: "user", name: "da", key: "ada", ids: [id], limit: 5 }];
    },
    gives: [{ key: "ada" }],
    cli: () => ["identities", "list", "--limit", "1"],
    json: null,
    unknown: { ids: null },
  },
  count: { args: async (person) => (await person.identity(), []), gives: 1 },
  update: {
    args: async (person) => [await person.identity(), { name: "Ada L", key: "lovelace", kind: "other", properties }],
    gives: { name: "Ada L", key: "lovelace", kind: "other", properties },
    leaves: [({ runtime }) => runtime.identities.list(), [{ key: "lovelace" }]],
    cli: ([id, change]) => ["identities", "set", id, ...pairs(change)],
  },
  delete: {
    args: async (person) => [await person.identity()],
    gives: null,
    leaves: [({ runtime }) => runtime.identities.count(), 0],
    cli: ([id]) => ["identities", "remove", id, "--yes"],
  },
};
