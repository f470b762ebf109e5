// Conversations, records of turns, and the functions of an open agent.
import type { AgentRows, GroupRows } from "../parity-row.ts";
import type { Person, Talk } from "../parity-scene.ts";
import { pick } from "./shapes.ts";

const said = [
  { role: "user", text: "SAY Ahoy, Ada." },
  { role: "assistant", text: "Ahoy, Ada." },
];
const conversation = async (person: Person) => [(await person.talk()).conversation] as const;
const imported = [
  { role: "user", speaker: "Ada", text: "Hi", at: new Date("2026-01-02T03:04:05Z") },
  { role: "assistant", text: "Hello.", at: new Date("2026-01-02T03:04:06Z") },
] as const;

export const conversationRows: GroupRows<"conversations"> = {
  list: {
    async args(person) {
      const { agent } = await person.talk();
      await person.runtime.conversations.create(agent, { title: "Later" });
      return [agent, { limit: 1 }];
    },
    gives: [{ messages: 0, title: "Later" }],
    cli: ([agent]) => ["conversations", "list", "--limit", "1", "-a", agent ?? ""],
  },
  create: {
    args: async (person) => [await person.agent(), { title: "Storms" }],
    gives: { title: "Storms" },
    leaves: [({ runtime }) => runtime.conversations.list("main"), [{ title: "Storms", messages: 0 }]],
    cli: ([agent, { title = "" } = {}]) => ["conversations", "add", "--title", title, "-a", agent],
  },
  find: { args: conversation, gives: { title: null } },
  messages: {
    args: async (person) => [...(await conversation(person)), { limit: 1, from: "end" }],
    gives: { messages: [said[1]] },
    cli: ([id]) => ["conversations", "show", "-r", id],
    json: null,
  },
  message: {
    args: async (person) => [(await person.talk()).messages[1]?.id ?? ""],
    gives: { role: "assistant", text: "Ahoy, Ada.", calls: [], edits: [] },
  },
  file: {
    async args(person) {
      const { opened, conversation: id } = await person.talk();
      await opened.send("Look", { files: [{ name: "tides.txt", data: Buffer.from("Low water at 9.") }] });
      const { messages } = await person.runtime.conversations.messages(id);
      const [location] = messages.flatMap(({ content }) =>
        content.flatMap((part) => (part.type === "file" ? [part.location] : [])),
      );
      return [id, location?.type === "attachment" ? location.id : ""];
    },
    unknown: { conversationId: "attachment_not_found", fileId: "attachment_not_found" },
    gives: "Low water at 9.",
  },
  rename: {
    args: async (person) => [...(await conversation(person)), "Storms"],
    gives: { title: "Storms" },
    leaves: [({ runtime }) => runtime.conversations.list("main"), [{ title: "Storms" }]],
    cli: ([id, title]) => ["conversations", "rename", id, title ?? ""],
    json: pick("id", "title"),
  },
  delete: {
    args: conversation,
    gives: null,
    leaves: [({ runtime }) => runtime.conversations.list("main"), []],
    cli: ([id]) => ["conversations", "remove", id, "--yes"],
  },
  branches: {
    args: conversation,
    gives: [{ messages: 2, isCurrent: true, preview: "Ahoy, Ada." }],
    cli: ([id]) => ["conversations", "branches", "-r", id],
  },
  history: {
    args: async (person) => [
      { conversation: (await person.talk()).conversation, rolePrefix: { user: "Ada", assistant: "Bo" } },
    ],
    gives: { text: expect.stringContaining("Ada: SAY Ahoy") },
    unknown: { conversation: "conversation_not_found" },
  },
  fork: {
    args: conversation,
    gives: {},
    leaves: [({ runtime }) => runtime.conversations.list("main"), [{ messages: 2 }, { messages: 2 }]],
    cli: ([id]) => ["conversations", "fork", "-r", id],
  },
  export: {
    args: conversation,
    gives: said,
    cli: ([id]) => ["conversations", "export", "-", "-r", id],
    prints: "lines",
  },
  import: {
    args: async (person) => [await person.agent(), { title: "Old", messages: imported }],
    gives: { title: "Old" },
    leaves: [({ runtime }) => runtime.conversations.list("main"), [{ title: "Old", messages: 2 }]],
    cli: ([agent, { messages, title = "" }], person) => {
      const file = person.newFile("talk.jsonl", messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
      return ["conversations", "import", file, "--title", title, "-a", agent];
    },
    json: ({ id }, [, { messages }]) => ({ conversationId: id, messages: messages.length }),
  },
};

const turn = async (person: Person) => [(await person.talk()).turn] as const;
const completed = { state: "completed", stopReason: "end-turn" };

export const turnRows: GroupRows<"turns"> = {
  list: {
    async args(person) {
      const talk = await person.talk();
      return [
        { agent: talk.agent, conversation: talk.conversation, states: ["completed"], stopReason: "end-turn", limit: 5 },
      ];
    },
    gives: [completed],
    cli: ([{ agent = "", conversation: id = "" } = {}]) => ["turns", "list", "--limit", "5", "-a", agent, "-r", id],
    unknown: { agent: "agent_not_found", conversation: null },
  },
  find: { args: turn, gives: completed, cli: ([id]) => ["turns", "show", id], json: null },
  findByKey: {
    async args(person) {
      const { opened, conversation: id } = await person.talk();
      await opened.send("SAY again", { idempotencyKey: "key-1" });
      return [id, "key-1"];
    },
    unknown: { conversationId: null },
    gives: completed,
  },
  events: {
    async args(person) {
      const made = await person.talk();
      return [made.turn, { conversation: made.conversation }];
    },
    gives: expect.arrayContaining(["turn-end Ahoy, Ada."]),
  },
  annotate: {
    args: async (person) => [...(await turn(person)), { metadata: { a: 1 }, isBackground: true }],
    gives: { metadata: { a: 1 }, isBackground: true },
    leaves: [({ runtime }) => runtime.turns.list(), [{ metadata: { a: 1 } }]],
  },
  messages: { args: turn, gives: said, cli: () => ["conversations", "show"], json: null },
  steps: {
    args: async (person) => [...(await turn(person)), { order: "newest", limit: 1 }],
    gives: [{ number: 1, model: "asked" }],
    cli: ([id]) => ["turns", "show", id],
    json: null,
  },
  stepsOfAgent: {
    args: async (person) => [(await person.talk()).agent, { order: "newest", limit: 1 }],
    gives: [{ number: 1, model: "asked" }],
  },
  findStep: {
    async args(person) {
      const [step] = await person.runtime.turns.steps(...(await turn(person)));
      return [step?.id ?? ""];
    },
    gives: { number: 1, model: "asked" },
  },
};

const talk = async (person: Person) => [await person.talk()] as const;
const events = (...texts: readonly string[]) => expect.arrayContaining(texts);
const ended = events("turn-end Ahoy, Ada.");
const thread = ({ runtime }: Person, [{ conversation: id }]: readonly [Talk, ...unknown[]]) =>
  runtime.conversations.export(id);
const again = [said[0], { role: "assistant", text: "Ahoy, Ada." }];

/** A conversation whose window was compacted. */
async function compacted(person: Person): Promise<readonly [Talk]> {
  const made = await person.talk();
  await made.opened.clearWindow();
  return [made];
}

async function called(person: Person): Promise<readonly [Talk, string]> {
  const { talk: made, callId } = await person.waiting();
  return [made, callId];
}

const clock = {
  name: "read_clock",
  description: "Reads the clock.",
  parameters: { type: "object", properties: {} },
} as const;

export const openAgentRows: AgentRows = {
  context: { args: talk, gives: { messages: [{ role: "user" }, { role: "assistant" }], report: { window: 100_000 } } },
  describeTools: { args: talk, gives: expect.arrayContaining([expect.objectContaining({ name: "add_carefully" })]) },
  steps: { args: async (person) => [await person.talk(), 1], gives: [{ ordinal: 1, model: "asked" }] },
  step: { args: async (person) => [await person.talk(), 1], gives: { ordinal: 1, model: "asked" } },
  send: {
    args: async (person) => [await person.talk(), "SAY Aye."],
    gives: events("text-delta Aye.", "turn-end Aye."),
    leaves: [thread, [...said, { text: "SAY Aye." }, { text: "Aye." }]],
  },
  start: { args: async (person) => [await person.talk(), "SAY Aye."], gives: { id: expect.any(String) } },
  events: {
    args: async (person) => {
      const made = await person.talk();
      return [made, made.turn];
    },
    gives: ended,
  },
  stop: { args: talk, gives: false },
  close: { args: talk, gives: null },
  resume: { args: talk, gives: { code: "nothing_to_resume" } },
  approve: {
    args: called,
    gives: events("turn-end Done: 3"),
    leaves: [({ runtime }) => runtime.approvals.list("main"), []],
  },
  answer: {
    async args(person) {
      const made = await person.talk();
      await made.opened.send("CALL read_clock {}", { clientTools: [clock] });
      const [call] = made.opened.pendingResults;
      return [made, [{ callId: call?.callId ?? "", status: "ok", text: "noon" }], { clientTools: [clock] }];
    },
    gives: events("turn-end Done: noon"),
  },
  deny: {
    args: async (person) => [...(await called(person)), { reason: "Not now." }],
    gives: events(expect.stringContaining("turn-end Done:")),
    leaves: [({ runtime }) => runtime.approvals.list("main"), []],
  },
  raise: {
    args: async (person) => [await person.talk(), "heartbeat"],
    gives: events(expect.stringMatching(/^turn-end/u)),
  },
  retry: {
    args: async (person) => [await person.talk(), { memory: "keep", maxSteps: 3 }],
    gives: ended,
    leaves: [thread, again],
  },
  regenerate: {
    args: async (person) => {
      const made = await person.talk();
      return [made, made.messages[1]?.id ?? "", { memory: "keep" }];
    },
    gives: ended,
    leaves: [thread, again],
  },
  branches: { args: talk, gives: [{ messages: 2, isCurrent: true }] },
  switchTo: {
    args: async (person) => {
      const made = await person.talk();
      return [made, made.messages[0]?.id ?? null];
    },
    gives: null,
    leaves: [thread, [said[0]]],
    unknown: { messageId: "message_not_found" },
  },
  pop: {
    args: async (person) => [await person.talk(), 1, { memory: "keep" }],
    gives: { messages: [{ role: "assistant" }], edits: [], passages: [] },
    leaves: [thread, [said[0]]],
  },
  compact: {
    args: async (person) => [await person.talk(undefined, { keepLast: 0 }), { focus: "boats" }],
    gives: { strategy: "recursive", messages: 2 },
    leaves: [(_, [{ opened }]) => opened.compactions(), [{ undoneAt: null }]],
  },
  clearWindow: { args: talk, gives: { messages: 2 }, leaves: [(_, [{ opened }]) => opened.compactions(), [{}]] },
  undoCompaction: { args: compacted, gives: { messages: [{ role: "user" }, { role: "assistant" }] } },
  compactions: {
    args: async (person) => [...(await compacted(person)), 1],
    gives: [{ undoneAt: null }],
    cli: ([{ agent, conversation: id }]) => ["compactions", "list", "-a", agent, "-r", id, "--limit", "1"],
  },
  rewrite: {
    args: async (person) => [await person.talk(), "Better."],
    gives: { before: "Ahoy, Ada.", after: "Better." },
    leaves: [thread, [said[0], { text: "Better." }]],
  },
  rethink: {
    args: async (person) => [await person.talk("THINK of SAY Ahoy."), "Aha."],
    gives: { before: "Well.", after: "Aha." },
  },
  ask: { args: async (person) => [await person.talk(), "SAY Why?"], gives: { text: "Why?" }, leaves: [thread, said] },
  undoEdit: {
    async args(person) {
      const made = await person.talk();
      await person.runtime.memory.set(made.agent, "human", "Name: Bo");
      return [made, "human", { revision: 1 }];
    },
    gives: { label: "human", revision: 1 },
  },
};
