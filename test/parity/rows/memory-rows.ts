// Core memory, modules and forgetting.
import type { GroupRows } from "../parity-row.ts";
import type { Person } from "../parity-scene.ts";

/** An agent whose human module has two revisions. */
async function edited(person: Person): Promise<string> {
  const agent = await person.agent();
  await person.runtime.memory.set(agent, "human", "Name: Ada L");
  await person.runtime.memory.remember(agent, "Sails.");
  return agent;
}

const human = (person: Person) => person.runtime.memory.show("main").then((modules) => modules[1]);

export const memoryRows: GroupRows<"memory"> = {
  show: {
    args: async (person) => [await person.agent()],
    gives: [
      { label: "persona", scope: "agent" },
      { label: "human", scope: "user", value: "Name: Ada", revision: 0 },
    ],
    cli: ([agent]) => ["memory", "show", "-a", agent],
  },
  at: {
    args: async (person) => [await edited(person), "human", 1],
    gives: { label: "human", value: "Name: Ada L", revision: 1 },
    cli: ([agent, label, revision]) => ["memory", "show", label, "--at", String(revision), "-a", agent],
    json: (module) => [module],
  },
  diff: {
    args: async (person) => [await edited(person), "human", { from: 0, to: 1 }],
    gives: { label: "human", from: 0, to: 1, before: "Name: Ada", after: "Name: Ada L" },
    cli: ([agent, label]) => ["memory", "diff", label, "--from", "0", "--to", "1", "-a", agent],
    json: (diff) => ({ ...diff, removed: ["Name: Ada"], added: ["Name: Ada L"] }),
  },
  set: {
    args: async (person) => [await person.agent(), "human", "Name: Bo"],
    gives: { label: "human", value: "Name: Bo", revision: 1, length: 8, trust: "user" },
    leaves: [human, { value: "Name: Bo", revision: 1 }],
    cli: ([agent, label, value]) => ["memory", "set", label, value, "-a", agent],
  },
  remember: {
    args: async (person) => [await person.agent(), "Lives in Lisbon"],
    gives: { label: "human", revision: 1, before: "Name: Ada", after: "Name: Ada\nLives in Lisbon" },
    leaves: [human, { value: "Name: Ada\nLives in Lisbon" }],
    cli: ([agent, fact]) => ["memory", "remember", fact, "-a", agent],
  },
  edit: {
    args: async (person) => [await person.agent(), "human", { replace: "Ada", with: "Bo" }],
    gives: { label: "human", revision: 1, before: "Name: Ada", after: "Name: Bo" },
    leaves: [human, { value: "Name: Bo" }],
  },
  revisions: {
    args: async (person) => [await edited(person), { label: "human", limit: 1 }],
    gives: [{ label: "human", revision: 2, origin: "user", trust: "user" }],
    cli: ([agent]) => ["memory", "history", "human", "--limit", "1", "-a", agent],
    unknown: { label: null },
  },
  cause: {
    args: async (person) => [await edited(person), "human", 1],
    gives: { revision: { revision: 1, after: "Name: Ada L" }, call: null, input: null },
    cli: ([agent, label, revision]) => ["memory", "cause", label, String(revision), "-a", agent],
    unknown: { label: "revision_not_found" },
  },
  undo: {
    args: async (person) => [await edited(person), "human", { revision: 2 }],
    gives: { label: "human", revision: 2 },
    leaves: [human, { value: "Name: Ada L", revision: 3 }],
    cli: ([agent, label]) => ["memory", "undo", label ?? "", "--revision", "2", "-a", agent],
  },
};

const files = (person: Person) => person.runtime.memoryFiles.list("main");

export const memoryFileRows: GroupRows<"memoryFiles"> = {
  list: {
    args: async (person) => [await edited(person)],
    gives: [
      { path: "human.md", kind: "module", text: "Name: Ada L\nSails.", version: "2.MODULE" },
      { path: "persona.md", kind: "module", version: "0.MODULE" },
    ],
  },
  history: {
    args: async (person) => [await edited(person), { since: new Date(0) }],
    gives: [
      { path: "persona.md" },
      { path: "human.md", text: "Name: Ada" },
      { path: "human.md", text: "Name: Ada L", by: "user" },
      { path: "human.md", text: "Name: Ada L\nSails." },
    ],
  },
  write: {
    async args(person) {
      const agent = await person.agent();
      const [human] = await person.runtime.memoryFiles.list(agent);
      return [agent, "human.md", { text: "Name: Bo", version: human?.version ?? null }];
    },
    gives: { path: "human.md", version: "1.MODULE" },
    leaves: [files, [{ path: "human.md", text: "Name: Bo" }, {}]],
  },
  command: {
    args: async (person) => [await person.agent(), { command: "create", path: "/memories/a.txt", file_text: "A." }],
    gives: { text: "File created successfully at: /memories/a.txt", isError: false },
    leaves: [files, [{ path: "a.txt", kind: "file", text: "A.", trust: "external" }, {}, {}]],
  },
};

const tides = "---\nname: tides\ndescription: Before a sail.\n---\nLook up the tide.\n";

async function withSkill(person: Person): Promise<string> {
  const agent = await person.agent();
  await person.runtime.skills.write(agent, "tides", tides);
  return agent;
}

const skills = (person: Person) => person.runtime.skills.list("main");
const stored = { name: "tides", description: "Before a sail.", label: "skills/tides", revision: 1, trust: "user" };

export const skillRows: GroupRows<"skills"> = {
  list: {
    args: async (person) => [await withSkill(person)],
    gives: [stored],
    cli: ([agent]) => ["skills", "list", "-a", agent],
  },
  find: {
    args: async (person) => [await withSkill(person), "tides"],
    gives: { ...stored, text: tides },
    cli: ([agent, name]) => ["skills", "show", name, "-a", agent],
  },
  write: {
    args: async (person) => [await person.agent(), "tides", tides, { external: true }],
    gives: { ...stored, trust: "external" },
    leaves: [skills, [{ ...stored, trust: "external" }]],
  },
  remove: {
    args: async (person) => [await withSkill(person), "tides"],
    isOwn: true,
    gives: null,
    leaves: [skills, []],
    cli: ([agent, name]) => ["skills", "remove", name, "-a", agent],
    json: null,
  },
};

/** A module that the friend has shared. */
const accepted = async (person: Person): Promise<string> =>
  (await person.runtime.modules.accept(await person.offer("module"))).id;

const shared = { label: "project", value: "Boats.", tags: ["sea"], description: "What we build." };
const withLength = (module: { readonly value: string }) => ({ ...module, length: module.value.length });
const held = (module: { readonly value: string }) => ({ ...withLength(module), holders: [], recipients: [] });

export const moduleRows: GroupRows<"modules"> = {
  create: {
    args: ({ named }) => [{ ...shared, label: named("project") }],
    gives: { ...shared, access: "own", revision: 0, readOnly: false },
    leaves: [({ runtime }) => runtime.modules.list(), [shared]],
    cli: ([{ label }]) => `modules add ${label} Boats. --tag sea --description 'What we build.'`,
    json: withLength,
  },
  list: {
    async args(person) {
      await person.runtime.modules.create({ label: "other" });
      await person.runtime.modules.create(shared);
      return [{ tags: ["sea"], limit: 5 }];
    },
    gives: [shared],
    cli: () => ["modules", "list", "--tag", "sea", "--limit", "5"],
    json: (modules) => modules.map(held),
  },
  find: {
    args: async (person) => [await person.module()],
    gives: { label: "project", value: "Boats." },
    cli: ([id]) => ["modules", "show", id],
    json: held,
  },
  update: {
    args: async (person) => [await person.module(), { value: "Boats and tides." }],
    gives: { value: "Boats and tides.", revision: 1 },
    leaves: [(person, [id]) => person.runtime.modules.revisions(id), [{ after: "Boats and tides.", origin: "api" }]],
    cli: ([id, { value = "" }]) => ["modules", "set", id, value],
    json: withLength,
  },
  delete: {
    args: async (person) => [await person.module()],
    gives: null,
    leaves: [({ runtime }) => runtime.modules.list(), []],
    cli: ([id]) => ["modules", "remove", id, "--yes"],
  },
  ofAgents: {
    args: async (person) => [[(await person.runtime.agents.find(await person.agent())).id]],
    gives: [{ label: "persona" }, { label: "human", value: "Name: Ada" }],
    unknown: { agentIds: null },
  },
  holders: {
    async args(person) {
      const id = await person.module();
      await person.runtime.modules.attach(await person.agent(), id);
      return [id];
    },
    gives: [{ agentName: "main" }],
    cli: ([id]) => ["modules", "show", id],
    json: null,
  },
  attach: {
    args: async (person) => [await person.agent(), await person.module()],
    gives: true,
    leaves: [
      ({ runtime }) => runtime.memory.show("main"),
      [{ label: "persona" }, { label: "human" }, { label: "project" }],
    ],
    cli: ([agent, id]) => ["modules", "attach", id, "-a", agent],
  },
  detach: {
    async args(person) {
      const args = [await person.agent(), await person.module()] as const;
      await person.runtime.modules.attach(...args);
      return args;
    },
    gives: true,
    leaves: [(person, [, id]) => person.runtime.modules.holders(id), []],
    cli: ([agent, id]) => ["modules", "detach", id, "-a", agent],
  },
  share: {
    args: async (person) => [await person.module(), "grace", "append"],
    gives: null,
    leaves: [(person, [id]) => person.runtime.modules.recipients(id), [{ userId: "grace", access: "append" }]],
    cli: ([id, user, access]) => ["modules", "share", id, user, "--access", access],
  },
  unshare: {
    async args(person) {
      const id = await person.module();
      await person.runtime.modules.share(id, "grace", "read");
      return [id, "grace"];
    },
    unknown: { id: null },
    gives: true,
    leaves: [(person, [id]) => person.runtime.modules.recipients(id), []],
    cli: ([id, user]) => ["modules", "unshare", id, user],
  },
  recipients: {
    async args(person) {
      const id = await person.module();
      await person.runtime.modules.share(id, "grace", "write");
      return [id];
    },
    gives: [{ userId: "grace", access: "write", state: "offered" }],
    cli: ([id]) => ["modules", "show", id],
    json: null,
  },
  offers: {
    args: async (person) => (await person.offer("module"), []),
    gives: [{ label: "plan", ownerId: "user-friend", access: "write" }],
    cli: () => ["modules", "offers"],
  },
  accept: {
    args: async (person) => [await person.offer("module")],
    unknown: { id: "offer_not_found" },
    gives: { label: "plan", value: "Sail.", ownerId: "user-friend", access: "write" },
    leaves: [({ runtime }) => runtime.modules.list(), [{ label: "plan" }]],
    cli: ([id]) => ["modules", "accept", id],
    json: withLength,
  },
  decline: {
    args: async (person) => [await person.offer("module")],
    unknown: { id: "offer_not_found" },
    gives: null,
    leaves: [({ runtime }) => runtime.modules.offers(), []],
    cli: ([id]) => ["modules", "decline", id],
  },
  revisions: {
    async args(person) {
      const id = await accepted(person);
      for (const value of ["One.", "Two."]) await person.runtime.modules.update(id, { value });
      return [id, 1];
    },
    gives: [{ before: "One.", after: "Two.", revision: 2 }],
    cli: ([id, limit]) => ["modules", "history", id, "--limit", String(limit)],
  },
};

async function withSecret(person: Person): Promise<string> {
  const agent = await person.agent({ human: "Lives in Lisbon." });
  return (await person.runtime.archival.add(agent, "Ada lives in Lisbon.")).id;
}

export const forgetRows: GroupRows<"forget"> = {
  preview: {
    args: async (person) => [{ texts: ["in Lisbon"], passages: [await withSecret(person)], exact: true }],
    gives: {
      texts: ["in Lisbon", "Ada lives in Lisbon."],
      places: [{ kind: "module" }, { kind: "passage" }],
      similar: [],
    },
    cli: ([{ texts = [], passages: [id = ""] = [] }]) => ["forget", ...texts, "--passage", id, "--exact", "--dry-run"],
    json: (preview) => ({ ...preview, id: null }),
    unknown: { passages: "passage_not_found" },
  },
  apply: {
    async args(person) {
      await withSecret(person);
      return [{ texts: ["in Lisbon"] }, { origin: "user" }];
    },
    gives: { texts: ["in Lisbon", "Lives in Lisbon."], places: [{ kind: "module" }, { kind: "passage" }] },
    leaves: [human, { value: expect.stringContaining("forgotten") }],
    cli: ([{ texts = [] }]) => ["forget", ...texts, "--yes"],
    json: (forgotten) => ({ ...forgotten, similar: [] }),
  },
  list: {
    async args(person) {
      await withSecret(person);
      await person.runtime.forget.apply({ texts: ["in Lisbon"] });
      return [3];
    },
    gives: [{ origin: "api", counts: { module: 1, passage: 1 } }],
    cli: () => ["forget", "--list"],
  },
};
