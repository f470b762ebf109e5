// The archive, recall, the synopsis, consolidations, retention, node memories and embedders.
import { nextMillisecond } from "../../support/until.ts";
import type { GroupRows } from "../parity-row.ts";
import type { SearchPage } from "../../../src/tool/tool.ts";
import type { Person } from "../parity-scene.ts";
import { pick } from "./shapes.ts";

/** An agent with two passages. */
async function withPassages(person: Person): Promise<string> {
  const agent = await person.agent();
  await person.runtime.archival.import(agent, [
    { text: "The boat is blue.", tags: ["boat"], importance: 0.9, at: new Date("2026-01-02T03:04:05Z") },
    { text: "Low water at nine.", at: new Date("2026-02-02T03:04:05Z") },
  ]);
  return agent;
}

const passageRow = { text: "The boat is blue.", tags: ["boat"], trust: "external", at: "2026-01-02T03:04:05.000Z" };

export const archivalRows: GroupRows<"archival"> = {
  list: {
    args: async (person) => [await withPassages(person), { limit: 1, order: "oldest" }],
    gives: [passageRow],
    cli: ([agent]) => ["archival", "list", "--limit", "1", "-a", agent],
    json: null,
  },
  count: {
    args: async (person) => [await withPassages(person)],
    gives: 2,
    cli: ([agent]) => ["archival", "list", "-a", agent],
    json: null,
  },
  search: {
    // Each search raises the importance of what it finds.
    isOwn: true,
    args: async (person) => [
      await withPassages(person),
      "boat",
      { tags: ["boat"], minImportance: 0.5, pageSize: 3, page: 0 },
    ],
    gives: { hits: [{ text: "The boat is blue.", importance: 0.9 }], page: 0, pageSize: 3, total: 1 },
    cli: ([agent, query]) => `archival search ${query} --tag boat --min-importance 0.5 --page-size 3 -a ${agent}`,
    json: ({ hits, ...found }) => ({
      ...found,
      page: found.page + 1,
      hits: hits.map((hit: object) => ({ role: null, source: null, origin: null, replacement: null, ...hit })),
    }),
  },
  add: {
    args: async (person) => [await person.agent(), "Storms in March.", { tags: ["storm"], importance: 0.7 }],
    gives: { isNew: true },
    leaves: [({ runtime }) => runtime.archival.list("main"), [{ text: "Storms in March.", tags: ["storm"] }]],
    cli: ([agent, text]) => ["archival", "add", text, "--tag", "storm", "--importance", "0.7", "-a", agent],
    json: pick("id", "isNew"),
  },
  import: {
    args: async (person) => [await person.agent(), [{ text: "One." }, { text: "Two.", tags: ["a"] }]],
    gives: 2,
    leaves: [({ runtime }) => runtime.archival.count("main"), 2],
    cli: ([agent, passages]) => ({
      argv: ["archival", "import", "-", "-a", agent],
      input: passages.map((passage) => `${JSON.stringify(passage)}\n`).join(""),
    }),
    json: (added) => ({ added, present: 0 }),
  },
  export: {
    args: async (person) => [await withPassages(person)],
    gives: [{ text: "The boat is blue." }, { text: "Low water at nine." }],
    cli: ([agent]) => ["archival", "export", "-", "-a", agent],
    json: (passages) => passages.map(pick("id", "text", "tags", "kind", "origin", "trust", "importance", "at")),
    prints: "lines",
  },
  setTags: {
    async args(person) {
      const agent = await person.agent();
      return [agent, await person.passage(agent), ["storm", "spring"]];
    },
    gives: true,
    leaves: [({ runtime }) => runtime.archival.list("main"), [{ tags: ["storm", "spring"] }]],
    cli: ([agent, id, tags]) => ["archival", "tag", id, ...tags, "-a", agent],
    json: (_, [, id, tags]) => ({ id, tags }),
  },
  delete: {
    async args(person) {
      const agent = await person.agent();
      return [agent, await person.passage(agent)];
    },
    gives: true,
    leaves: [({ runtime }) => runtime.archival.count("main"), 0],
    cli: ([agent, id]) => ["archival", "remove", id, "--yes", "-a", agent],
  },
};

const foundMessages = ({ hits, page, pageSize, total, wordsAlone }: SearchPage) => ({
  page: page + 1,
  pageSize,
  total,
  wordsAlone,
  hits: hits.map((hit) => ({ ...hit, tags: [], origin: null })),
});

const days = { start: "2020-01-01", end: "2120-01-01" };

export const recallRows: GroupRows<"recall"> = {
  search: {
    async args(person) {
      const { agent, opened } = await person.talk();
      await opened.rewrite("Better.");
      return [agent, "Ahoy", { neighbours: 1, pageSize: 3, ...days, includeAbandoned: true }];
    },
    // The reply is on an abandoned branch.
    gives: { hits: expect.arrayContaining([expect.objectContaining({ text: "Ahoy, Ada." })]), page: 0, pageSize: 3 },
    cli: ([agent, query]) => `recall search ${query} --neighbours 1 --page-size 3 --all-branches -a ${agent}`,
    json: foundMessages,
  },
  searchDate: {
    args: async (person) => [(await person.talk()).agent, days, { page: 0, pageSize: 1 }],
    gives: { hits: [{ text: "SAY Ahoy, Ada." }], pageSize: 1, total: 2 },
    cli: ([agent, { start, end }]) => ["recall", "dates", start, end, "--page-size", "1", "-a", agent],
    json: foundMessages,
  },
};

async function withFacts(person: Person): Promise<string> {
  const agent = await person.agent({ settings: { synopsis: "on" } });
  await person.runtime.archival.add(agent, "The user likes tea.");
  return agent;
}

export const synopsisRows: GroupRows<"synopsis"> = {
  show: {
    args: async (person) => [await withFacts(person)],
    gives: { isOn: true, identity: null, context: null, text: null, tokens: 0 },
    cli: ([agent]) => ["synopsis", "show", "-a", agent],
  },
  refresh: {
    args: async (person) => [await withFacts(person)],
    gives: { identity: { content: { name: "Ada" }, memories: 1 }, context: { content: { recentTopics: ["a boat"] } } },
    leaves: [({ runtime }) => runtime.synopsis.show("main"), { identity: { content: { name: "Ada" } } }],
    cli: ([agent]) => ["synopsis", "refresh", "-a", agent],
  },
  clear: {
    async args(person) {
      const agent = await withFacts(person);
      await person.runtime.synopsis.refresh(agent);
      return [agent];
    },
    gives: 2,
    leaves: [({ runtime }) => runtime.synopsis.show("main"), { identity: null, context: null }],
    cli: ([agent]) => ["synopsis", "clear", "-a", agent],
    json: (parts) => ({ parts }),
  },
};

export const retentionRows: GroupRows<"retention"> = {
  apply: {
    args: async (person) => [await person.agent()],
    gives: { dropped: { messages: { rows: 0 } } },
    leaves: [({ runtime }) => runtime.retention.list("main"), [{}]],
    cli: ([agent]) => ["retention", "apply", "-a", agent],
  },
  list: {
    async args(person) {
      const agent = await person.agent();
      for (const _ of [1, 2]) await person.runtime.retention.apply(agent);
      return [agent, 1];
    },
    gives: [{ dropped: { messages: { rows: 0 } } }],
    cli: ([agent, limit]) => ["retention", "list", "--limit", String(limit), "-a", agent],
  },
};

async function withNode(person: Person): Promise<number> {
  const memory = person.runtime.nodeMemory.open({ app: "gallery", conversation: "c1", node: "describe" });
  memory.addMessages({
    messageId: "1",
    parentMessageId: null,
    userContent: "Look",
    userFiles: [],
    assistantMessageId: "2",
    assistantContent: "A boat.",
    assistantFiles: [],
  });
  await memory.flush();
  await nextMillisecond();
  return 0;
}

const node = { app: "gallery", conversation: "c1", node: "describe", messages: 2 };

export const nodeMemoryRows: GroupRows<"nodeMemory"> = {
  open: { args: () => [{ app: "gallery", conversation: "c1", node: "describe" }], gives: { key: {} } },
  forMode: {
    args: () => [{ mode: "node", app: "gallery", conversation: "c1", node: "describe" }] as never,
    gives: { key: {} },
  },
  listUnused: {
    args: async (person) => [await withNode(person)],
    gives: [node],
    cli: () => ["node-memory", "prune", "--older-than", "0m", "--dry-run"],
    json: (memories) => ({ dryRun: true, memories }),
  },
  prune: {
    args: async (person) => [await withNode(person)],
    gives: [node],
    leaves: [({ runtime }) => runtime.nodeMemory.listUnused(0), []],
    cli: () => ["node-memory", "prune", "--older-than", "0m"],
    json: (memories) => ({ dryRun: false, memories }),
  },
};

/** An agent with a passage that has a vector. */
async function embedded(person: Person): Promise<string> {
  const agent = await person.agent();
  await person.runtime.archival.add(agent, "The boat is blue.");
  await person.runtime.idle();
  return agent;
}

async function reembedded(person: Person): Promise<string> {
  const agent = await embedded(person);
  await person.runtime.embeddings.reembed({ to: "test/next" });
  return agent;
}

const searched = (embedder: string) => [{ searched: { embedder, missing: 0 } }];
const state = ({ runtime }: Person) => runtime.embeddings.list();

export const embeddingRows: GroupRows<"embeddings"> = {
  list: {
    args: async (person) => [[await embedded(person)]],
    gives: searched("test/old"),
    cli: ([[agent = ""] = []]) => ["reembed", "-a", agent],
    unknown: { agents: "agent_not_found" },
  },
  reembed: {
    args: async (person) => [{ agents: [await embedded(person)], to: "test/next", batch: 16, fromDimensions: 16 }],
    gives: { to: { embedder: "test/next", dimensions: 12 }, agents: ["main"], already: [], made: 1, refused: 0 },
    leaves: [state, searched("test/next")],
    cli: ([{ to, agents: [agent = ""] = [] }]) => `reembed --to ${to} --batch 16 --from-dim 16 -a ${agent}`,
    unknown: { agents: "agent_not_found" },
  },
  rollback: {
    args: async (person) => [[await reembedded(person)]],
    gives: searched("test/old"),
    leaves: [state, searched("test/old")],
    cli: ([[agent = ""] = []]) => ["reembed", "--rollback", "-a", agent],
    unknown: { agents: "agent_not_found" },
  },
  dropOld: {
    args: async (person) => [{ agents: [await reembedded(person)] }],
    gives: { agents: ["main"], deleted: 1 },
    leaves: [state, [{ kept: null }]],
    cli: ([{ agents: [agent = ""] = [] } = {}]) => ["reembed", "--drop-old", "-a", agent],
    unknown: { agents: "agent_not_found" },
  },
  abandon: {
    args: async (person) => [{ agents: [await embedded(person)] }],
    gives: { agents: [], deleted: 0 },
    cli: ([{ agents: [agent = ""] = [] } = {}]) => ["reembed", "--abandon", "-a", agent],
    unknown: { agents: "agent_not_found" },
  },
};

/** An agent with passages that say the same. */
async function untidy(person: Person): Promise<string> {
  const agent = await person.agent();
  for (const text of ["Boats float", "Boats float on water", "Tea is hot", "Tea is hot and green"])
    await person.runtime.archival.add(agent, text);
  return agent;
}

const proposed = async (person: Person): Promise<string> =>
  (await person.runtime.consolidation.run(await untidy(person)))?.id ?? "";

const runs = ({ runtime }: Person) => runtime.consolidation.list("main");

export const consolidationRows: GroupRows<"consolidation"> = {
  run: {
    args: async (person) => [await untidy(person)],
    gives: { status: "proposed", operations: [{ kind: "merge" }, { kind: "merge" }] },
    leaves: [runs, [{ status: "proposed" }]],
    cli: ([agent]) => ["consolidate", "-a", agent],
  },
  list: {
    args: async (person) => (await proposed(person), [person.named("main"), 1]),
    gives: [{ status: "proposed" }],
    cli: ([agent, limit]) => ["consolidate", "list", "--limit", String(limit), "-a", agent],
  },
  find: {
    args: async (person) => [await proposed(person)],
    gives: { status: "proposed" },
    cli: ([id]) => ["consolidate", "show", id],
  },
  apply: {
    args: async (person) => [await proposed(person), { operations: [1] }],
    gives: { operations: [{ status: "applied" }, {}] },
    leaves: [runs, [{ operations: [{ status: "applied" }, { status: "proposed" }] }]],
    cli: ([id]) => ["consolidate", "apply", id, "1"],
  },
  reject: {
    args: async (person) => [await proposed(person), { operations: [2] }],
    gives: { operations: [{}, { status: "rejected" }] },
    leaves: [runs, [{ operations: [{ status: "proposed" }, { status: "rejected" }] }]],
    cli: ([id]) => ["consolidate", "reject", id, "2"],
  },
  undo: {
    async args(person) {
      const id = await proposed(person);
      await person.runtime.consolidation.apply(id);
      return [id];
    },
    gives: { status: "undone" },
    leaves: [runs, [{ status: "undone" }]],
    cli: ([id]) => ["consolidate", "undo", id],
  },
};
