// Sources, imports, stored tools, MCP servers of users, schedules and models.
import type { GroupRows } from "../parity-row.ts";
import type { Person } from "../parity-scene.ts";
import { pairs } from "./shapes.ts";

async function attached(person: Person): Promise<readonly [agent: string, source: string]> {
  const args = [await person.agent(), await person.source()] as const;
  await person.runtime.sources.attach(...args);
  return args;
}

async function withFile(person: Person, isOpen = false): Promise<readonly [agent: string, file: string]> {
  const [agent] = await attached(person);
  const [file] = await person.runtime.sources.attachedFiles(agent);
  if (isOpen) await person.runtime.sources.openFile(agent, file!.id);
  return [agent, file!.id];
}

async function withPassage(person: Person): Promise<readonly [source: string, passage: string]> {
  const { name } = await person.runtime.sources.create(person.named("books"));
  return [name, (await person.runtime.sources.add(name, "Ahab is its captain.")).id];
}

const books = { name: "books", description: "All books.", files: 1, passages: 1, agents: [] };
const moby = { path: "moby.txt", status: "loaded", passages: 1 };

export const sourceRows: GroupRows<"sources"> = {
  load: {
    args: ({ named }) => [named("books"), ["personas/human/unknown.md"], { description: "All books." }],
    gives: { source: { ...books, passages: expect.any(Number) }, added: 1, failed: [], vectors: {} },
    leaves: [({ runtime }) => runtime.sources.files("books"), [{ status: "loaded" }]],
    cli: ([source, [file]]) => ["load", file as string, "--source", source, "--description", "All books."],
    // A source that does not exist is created.
    unknown: { source: undefined },
  },
  list: { args: async (person) => (await person.source(), []), gives: [books], cli: () => ["sources", "list"] },
  create: {
    args: ({ named }) => [named("books"), { description: "All books." }],
    gives: { ...books, files: 0, passages: 0 },
    leaves: [({ runtime }) => runtime.sources.list(), [{ name: "books", files: 0 }]],
    cli: ([name, { description } = {}]) => ["sources", "add", name, "--description", description ?? ""],
  },
  show: {
    args: async (person) => [await person.source()],
    gives: books,
    cli: ([source]) => ["sources", "show", source],
    json: null,
  },
  files: {
    args: async (person) => [await person.source()],
    gives: [moby],
    cli: ([source]) => ["sources", "show", source],
    json: null,
  },
  removeFile: {
    args: async (person) => [await person.source(), "moby.txt"],
    gives: true,
    leaves: [({ runtime }) => runtime.sources.files("books"), []],
    cli: ([source, path]) => ["sources", "remove", source, path, "--yes"],
    json: (_, [, removed]) => ({ removed }),
  },
  update: {
    args: async (person) => [await person.source(), { name: "texts" }],
    gives: { name: "texts", files: 1 },
    leaves: [({ runtime }) => runtime.sources.list(), [{ name: "texts" }]],
    cli: ([source, { name = "" }]) => ["sources", "rename", source, name],
  },
  passages: {
    args: async (person) => [await person.source(), { limit: 1, order: "newest" }],
    gives: [{ text: "Moby Dick is about a whale." }],
    cli: ([source]) => ["sources", "passages", source, "--limit", "1"],
  },
  add: {
    args: async (person) => [await person.source(), "Ahab is its captain.", { tags: ["ahab"], importance: 0.7 }],
    gives: { isNew: true },
    leaves: [
      ({ runtime }) => runtime.sources.passages("books"),
      [{ text: "Ahab is its captain.", tags: ["ahab"], importance: 0.7 }, { text: "Moby Dick is about a whale." }],
    ],
  },
  setPassageTags: {
    args: async (person) => [...(await withPassage(person)), ["whales"]],
    gives: true,
    leaves: [({ runtime }) => runtime.sources.passages("books"), [{ tags: ["whales"] }]],
  },
  deletePassage: { args: withPassage, gives: true, leaves: [({ runtime }) => runtime.sources.passages("books"), []] },
  delete: {
    args: async (person) => [await person.source()],
    gives: null,
    leaves: [({ runtime }) => runtime.sources.list(), []],
    cli: ([source]) => ["sources", "remove", source, "--yes"],
    json: (_, [deleted]) => ({ deleted, passages: 1 }),
  },
  attach: {
    args: async (person) => [await person.agent(), await person.source()],
    gives: true,
    leaves: [({ runtime }) => runtime.sources.list(), [{ agents: ["main"] }]],
    cli: ([agent, source]) => ["attach", source, "-a", agent],
    json: (isAttached) => ({ attached: isAttached }),
  },
  detach: {
    args: attached,
    gives: true,
    leaves: [({ runtime }) => runtime.sources.list(), [{ agents: [] }]],
    cli: ([agent, source]) => ["detach", source, "-a", agent],
    json: (detached) => ({ detached }),
  },
  attachedFiles: { args: async (person) => [(await withFile(person))[0]], gives: [{ path: "moby.txt", open: null }] },
  openFile: {
    args: async (person) => [...(await withFile(person)), { from: 1, to: 1 }],
    unknown: { fileId: "source_not_found" },
    gives: [],
    leaves: [({ runtime }) => runtime.sources.openFiles("main"), [{ name: "books/moby.txt", from: 1, total: 1 }]],
  },
  closeFiles: {
    args: (person) => withFile(person, true),
    gives: (args: readonly unknown[]) => [args[1]],
    leaves: [({ runtime }) => runtime.sources.openFiles("main"), []],
    unknown: { fileId: null },
  },
  openFiles: {
    args: async (person) => [(await withFile(person, true))[0]],
    gives: [{ name: "books/moby.txt", total: 1 }],
    cli: ([agent]) => ["context", "-a", agent],
    json: null,
  },
};

const memories = [{ id: "1", memory: "Sails on Sundays" }];

export const importRows: GroupRows<"imports"> = {
  run: {
    args: async (person) => [await person.agent(), bytesOf(JSON.stringify(memories)), { form: "mem0" }],
    gives: { found: { passages: 1 }, added: { passages: 1 }, leftOut: [] },
    leaves: [({ runtime }) => runtime.archival.list("main"), [{ text: "Sails on Sundays", trust: "external" }]],
    cli: ([agent]) => ({ argv: ["import", "mem0", "-", "-a", agent], input: JSON.stringify(memories) }),
    json: (report) => ({ form: "mem0", dryRun: false, ...report }),
  },
};

/** A stream that each reader reads from its beginning. */
function bytesOf(text: string): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(text);
    },
  };
}

const parameters = { type: "object", properties: {} };
const ring = {
  name: "ring",
  description: "Rings.",
  parameters,
  tags: ["bell"],
  metadata: { a: 1 },
  requiresApproval: true,
};

async function withTool(person: Person): Promise<readonly [agent: string, tool: string]> {
  const args = [await person.agent(), await person.tool()] as const;
  await person.runtime.tools.attach(...args);
  return args;
}

const toolsOf = ({ runtime }: Person) => runtime.tools.ofAgent("main");

export const toolRows: GroupRows<"tools"> = {
  create: {
    args: ({ named }) => [{ ...ring, name: named("ring") }],
    gives: { ...ring, kind: "client", source: null },
    leaves: [({ runtime }) => runtime.tools.list(), [ring]],
  },
  upsert: {
    async args(person) {
      await person.tool();
      return [{ ...ring, name: person.named("ring"), description: "Rings twice." }];
    },
    gives: { ...ring, description: "Rings twice." },
    leaves: [({ runtime }) => runtime.tools.list(), [{ description: "Rings twice." }]],
  },
  find: {
    args: async (person) => [await person.tool()],
    gives: { name: "ring", kind: "client" },
    cli: ([tool]) => ["tools", "show", tool],
  },
  list: {
    async args(person) {
      const agentId = (await person.runtime.agents.find((await withTool(person))[0])).id;
      await person.runtime.tools.create({ ...ring, name: "bell" });
      return [{ agentId, name: person.named("ring"), text: "rin", limit: 5 }];
    },
    gives: [{ name: "ring" }],
    cli: () => ["tools", "list", "--limit", "1"],
    json: null,
    unknown: { agentId: null },
  },
  update: {
    args: async (person) => [
      await person.tool(),
      { description: "Rings twice.", requiresApproval: true, tags: ["bell"] },
    ],
    gives: { description: "Rings twice.", requiresApproval: true, tags: ["bell"] },
    leaves: [({ runtime }) => runtime.tools.list(), [{ description: "Rings twice." }]],
  },
  delete: {
    args: async (person) => [await person.tool()],
    gives: null,
    leaves: [({ runtime }) => runtime.tools.list(), []],
    cli: ([tool]) => ["tools", "remove", tool, "--yes"],
  },
  attach: {
    args: async (person) => [await person.agent(), await person.tool()],
    gives: true,
    leaves: [toolsOf, [{ name: "ring" }]],
    cli: ([agent, tool]) => ["tools", "attach", tool, "-a", agent],
    json: (attached_) => ({ attached: attached_ }),
  },
  detach: {
    args: withTool,
    gives: true,
    leaves: [toolsOf, []],
    cli: ([agent, tool]) => ["tools", "detach", tool, "-a", agent],
    json: (detached) => ({ detached }),
  },
  builtIn: {
    args: async (person) => [await person.agent()],
    gives: expect.arrayContaining([expect.objectContaining({ name: "core_memory_append", origin: "runtime" })]),
    cli: ([agent = ""]) => ["tools", "list", "-a", agent],
    json: (builtIn) => ({ builtIn, stored: [] }),
  },
  ofAgent: {
    args: async (person) => [(await withTool(person))[0]],
    gives: [{ name: "ring", agentRequiresApproval: null }],
    cli: ([agent]) => ["tools", "list", "-a", agent],
    json: null,
  },
  ofAgents: {
    args: async (person) => [[await person.runtime.agents.find((await withTool(person))[0])]],
    gives: [{ stored: [{ name: "ring" }], builtIn: expect.any(Array) }],
  },
  setApproval: {
    args: async (person) => [...(await withTool(person)), true],
    gives: null,
    leaves: [toolsOf, [{ name: "ring", agentRequiresApproval: true }]],
    cli: ([agent, tool]) => ["tools", "approval", tool, "always", "-a", agent],
  },
};

const serverRow = { name: "words", headerNames: ["authorization"], url: expect.any(String) };

export const serverRows: GroupRows<"mcpServers"> = {
  create: {
    args: ({ named, mcpUrl: url }) => [{ name: named("words"), url, headers: { authorization: "Bearer good" } }],
    gives: { server: serverRow, refresh: { added: ["echo", "add"], problems: [] } },
    leaves: [({ runtime }) => runtime.mcpServers.list(), [serverRow]],
    cli: ([server]) => ["mcp-servers", "add", ...pairs(server)],
  },
  find: {
    args: async (person) => [await person.server()],
    gives: serverRow,
    cli: ([id]) => ["mcp-servers", "show", id],
  },
  list: { args: async (person) => (await person.server(), []), gives: [serverRow], cli: () => ["mcp-servers", "list"] },
  update: {
    args: async (person) => [await person.server(), { name: "talk", metadata: { team: "desk" } }],
    gives: {
      server: { name: "talk", metadata: { team: "desk" } },
      refresh: { updated: ["echo", "add"], problems: [] },
    },
    leaves: [({ runtime }) => runtime.mcpServers.list(), [{ name: "talk" }]],
    cli: ([id, change]) => ["mcp-servers", "set", id, ...pairs(change)],
  },
  delete: {
    args: async (person) => [await person.server()],
    gives: null,
    leaves: [({ runtime }) => runtime.mcpServers.list(), []],
    cli: ([id]) => ["mcp-servers", "remove", id, "--yes"],
  },
  refresh: {
    args: async (person) => [await person.server()],
    gives: { added: [], updated: [], deleted: [], problems: [] },
    cli: ([id]) => ["mcp-servers", "refresh", id],
  },
  tools: {
    args: async (person) => [await person.server()],
    gives: [{ name: "words__echo", kind: "mcp" }, { name: "words__add" }],
    cli: ([id]) => ["mcp-servers", "tools", id],
  },
  run: {
    args: async (person) => [await person.server(), `${person.named("words")}__echo`, { word: "ahoy" }],
    gives: { status: "ok", text: expect.stringContaining("ahoy") },
    cli: ([id, tool, args]) => ["mcp-servers", "run", id, tool, "--arguments", JSON.stringify(args)],
  },
};

const monday = {
  text: "Good morning",
  cron: "0 9 * * 1",
  timeZone: "Europe/Berlin",
  onBusy: "skip",
  quietHours: "22:00-07:00",
} as const;

/** A schedule that was due once. */
async function fired(person: Person): Promise<string> {
  const id = await person.schedule();
  await person.makeDue(id);
  await person.runtime.schedules.fire();
  await person.runtime.idle();
  return id;
}

export const scheduleRows: GroupRows<"schedules"> = {
  create: {
    args: async (person) => [await person.agent(), monday],
    gives: { ...monday, conversation: "last", isEnabled: true, onMissed: "run", onQuiet: "delay", at: null },
    leaves: [({ runtime }) => runtime.schedules.list("main"), [monday]],
    cli: ([agent, { text, cron = "" }]) =>
      `schedule add '${text}' --cron '${cron}' --time-zone Europe/Berlin --on-busy skip --quiet-hours 22:00-07:00 -a ${agent}`,
    unknown: { conversation: null },
  },
  list: {
    async args(person) {
      await person.schedule();
      return [person.named("main")];
    },
    gives: [{ text: "Good morning", cron: "0 9 * * *", timeZone: "UTC" }],
    cli: ([agent]) => ["schedule", "list", "-a", agent],
  },
  update: {
    args: async (person) => [
      await person.schedule(),
      { at: new Date("2099-12-24T18:00:00Z"), isEnabled: false, onMissed: "skip" },
    ],
    gives: { at: "2099-12-24T18:00:00.000Z", cron: null, isEnabled: false, onMissed: "skip", text: "Good morning" },
    leaves: [({ runtime }) => runtime.schedules.list("main"), [{ cron: null, isEnabled: false }]],
    cli: ([id]) => ["schedule", "set", id, "at", "2099-12-24T18:00Z", "isEnabled", "false", "onMissed", "skip"],
    unknown: { conversation: null },
  },
  delete: {
    args: async (person) => [await person.schedule()],
    gives: null,
    leaves: [({ runtime }) => runtime.schedules.list("main"), []],
    cli: ([id]) => ["schedule", "remove", id],
    json: (_, [id]) => ({ removed: id }),
  },
  runs: {
    args: async (person) => [await fired(person), 3],
    gives: [{ status: "ended", outcome: "end-turn" }],
    cli: ([id, limit]) => ["schedule", "history", id, "--limit", String(limit)],
  },
  lastPolledAt: { args: async (person) => (await fired(person), []), gives: expect.any(String) },
  fire: { args: async (person) => (await person.schedule(), []), gives: { fired: 0, nextAt: expect.any(String) } },
  run: { args: () => [{ signal: AbortSignal.abort() }], gives: null },
};

export const modelRows: GroupRows<"models"> = {
  list: { args: () => [], gives: { models: [{ name: "asked", contextWindow: 100_000 }], unread: [] } },
  find: {
    args: () => ["asked"],
    gives: { name: "asked", contextWindow: 100_000 },
    unknown: { name: "config_invalid" },
  },
  priceOf: { args: () => ["openai/gpt-unknown"], gives: null },
  embedders: { args: () => [], gives: [{ name: "local/use-lite", dimensions: 512, windowTokens: 128, isUsed: false }] },
};
