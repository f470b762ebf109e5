// A conversation far longer than its window, in each strategy: it never overflows, what has to be kept is kept, everything is
// found, and undoing every compaction brings the whole thread back.
import { createScriptedModel, type ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import { systemClock } from "../../src/base/clock.ts";
import { checkRequest } from "../support/check-request.ts";
import type { Agent } from "../../src/agent/agent.ts";
import type { AgentSettings, CompactionRecord } from "../../src/store/port/records.ts";
import type { ModelRequest } from "../../src/model/llm/model.ts";
import { countMessage } from "../../src/model/tokens/token-counter.ts";
import { createTokenCounter } from "../../src/model/tokens/create-token-counter.ts";
import { lastOf, useRuntimes } from "../support/runtime.ts";

/** Turns of the longest conversation; `npm run test:conversation` has 2,000. The other strategies have fewer. */
const turns = Number(process.env["CONVERSATION_TURNS"] || 200);
const fewerTurns = turns < 400 ? turns / 2 : 400;
const longestRunMs = 60 * 60_000;
const window = 8192;
/** When the first turn is; each of the others is a minute after the one before, so that no run differs from another. */
const begin = Date.UTC(2026, 0, 5, 9, 30);

const runtimes = useRuntimes();

const things = ["boiler", "pump", "badge", "invoice", "parcel", "passport", "locker", "ticket", "router", "bicycle"];

/** Twenty identifiers that nothing in the chatter resembles. */
const planted = Array.from({ length: 20 }, (_, at) => {
  const id = `${"QXZKV"[at % 5]}${"WJHRB"[(at * 3) % 5]}-${4103 + 37 * at}-${"ABCDEFGHIJKLMNOPQRST"[at]}7`;
  return { id, text: `The number of my ${things[at % 10]} is ${id}, keep it.` };
});

const chatter = [
  "It rained again this morning and the bus was late, so we walked along the river for a while and talked about the garden.",
  "I think the soup was better with less salt. What would you put in next time?",
  "My sister called. She has moved to another flat, and the stairs are steep.",
  "We watched the old film about the lighthouse, and nobody understood the end.",
  "Please remind me how one folds a paper boat? The children have asked about it all day long.",
  "I slept badly, around 5 hours, and I have 3 meetings today.",
];

const answers = [
  "That sounds like a full day. Tell me more about it whenever you like.",
  "I see. I would try it with a little lemon, and leave it to rest before you serve it to anybody.",
  "Noted.",
];

/** What is said in a turn: chatter, but for the twenty turns, evenly spread, in which an identifier is told. */
function saying(turn: number, count: number): string {
  const every = Math.floor(count / planted.length);
  const at = turn % every === Math.floor(every / 2) ? Math.floor(turn / every) : -1;
  return planted[at]?.text ?? `${chatter[turn % chatter.length]} (${"la ".repeat(turn % 9)}la)`;
}

/** Chats, and now and then looks something up first. */
function replyTo(request: ModelRequest, index: number): ScriptedReply {
  const isAnswered = request.messages.at(-1)?.role === "tool";
  if (index % 17 === 3 && !isAnswered) {
    return { toolCalls: [{ name: "conversation_search", arguments: { query: "lighthouse" } }] };
  }
  return { text: answers[index % answers.length] ?? "" };
}

interface Talked {
  readonly agent: Agent;
  readonly name: string;
  readonly search: (id: string) => Promise<readonly string[]>;
  readonly lastRequest: string;
  readonly largest: number;
  readonly problems: readonly string[];
}

const counter = createTokenCounter("scripted");

function tokensOf({ system, messages, tools }: ModelRequest): number {
  const prompt = counter.count(`${system.instructions}${system.memory}${JSON.stringify(tools)}`);
  return messages.reduce((sum, message) => sum + countMessage(counter, message), prompt);
}

let names = 0;

async function talk(settings: Partial<AgentSettings>, count: number): Promise<Talked> {
  const seen = { turn: 0, lastRequest: "", largest: 0, problems: [] as string[] };
  const model = createScriptedModel({
    replies: (request, index) => {
      seen.lastRequest = JSON.stringify([request.system, request.messages]);
      // Every 50th is counted: the counter is slower than the turns are.
      if (index % 50 === 0) {
        seen.largest = Math.max(seen.largest, tokensOf(request));
        seen.problems.push(...checkRequest(request));
      }
      return replyTo(request, index);
    },
  });
  const runtime = await runtimes.open({
    model: "scripted",
    models: [model],
    contextWindow: window,
    summarizer: "demo",
    clock: { ...systemClock, now: () => new Date(begin + seen.turn * 60_000) },
  });
  names += 1;
  const name = `long-${names}`;
  const agent = await runtime.agents.open(name, { create: { settings } });
  for (let turn = 0; turn < count; turn += 1) {
    seen.turn = turn;
    const { stopReason, error } = await lastOf(agent.send(saying(turn, count)));
    expect([turn, stopReason, error]).toEqual([turn, "end-turn", undefined]);
  }
  const search = async (id: string) => (await runtime.recall.search(name, `"${id}"`)).hits.map(({ text }) => text);
  return { agent, name, search, ...seen };
}

/** Undoes compactions until there is none; each of them must bring something back. */
async function undoAll(agent: Agent): Promise<void> {
  for (let left = chainOf(await agent.compactions(10_000)); left > 0; ) {
    const { compactions } = await agent.undoCompaction();
    expect(compactions.length).toBeGreaterThan(0);
    left = chainOf(await agent.compactions(10_000));
  }
  await expect(agent.undoCompaction()).rejects.toThrow(/no compaction to undo/u);
}

/** How many are not undone. */
function chainOf(compactions: readonly CompactionRecord[]): number {
  return compactions.filter(({ undoneAt }) => undoneAt === null).length;
}

/** What holds whatever the strategy: nothing overflows, everything is found, and undoing all brings everything back. */
async function checkWhole({ agent, search, largest, problems }: Talked, count: number): Promise<void> {
  expect(problems).toEqual([]);
  expect(largest).toBeLessThanOrEqual(window);
  expect(largest).toBeGreaterThan(window / 2);
  const found = await Promise.all(planted.map(async ({ id, text }) => (await search(id)).includes(text)));
  expect(found).toEqual(planted.map(() => true));
  expect((await agent.compactions(10_000)).length).toBeGreaterThan(count / 200);
  await undoAll(agent);
  const said = agent.messages.filter(({ role, kind }) => role === "user" && kind === "message");
  expect(said.map(({ text }) => text)).toEqual(Array.from({ length: count }, (_, turn) => saying(turn, count)));
}

async function report(
  name: string,
  { agent, largest }: Talked,
  { count, kept }: { readonly count: number; readonly kept: number },
): Promise<void> {
  const { length } = await agent.compactions(10_000);
  process.stdout.write(
    `long conversation, ${name}: ${count} turns, ${kept} of 20 identifiers in the window at the end, ${length} compactions, ${largest} tokens at most\n`,
  );
}

test(
  "a long conversation in a small window loses nothing: it is found, and its identifiers stay in the window",
  async () => {
    const talked = await talk({}, turns);
    const kept = planted.filter(({ id }) => talked.lastRequest.includes(id));
    expect(kept.length).toBeGreaterThanOrEqual(18);
    expect((await talked.agent.compactions(10_000)).filter(({ model }) => model !== "demo")).toEqual([]);
    await report("recursive", talked, { count: turns, kept: kept.length });
    await checkWhole(talked, turns);
  },
  longestRunMs,
);

test.each<[string, Partial<AgentSettings>, number]>([
  ["a ring", { compaction: "ring" }, 18],
  ["a ring by messages, of few entries", { compaction: "ring", compactMessages: 50, ringEntries: 6 }, 18],
  ["no summary", { compaction: "truncate" }, 0],
])(
  "a shorter one, with %s",
  async (name, settings, identifiers) => {
    const count = fewerTurns;
    const talked = await talk(settings, count);
    const kept = planted.filter(({ id }) => talked.lastRequest.includes(id));
    expect(kept.length).toBeGreaterThanOrEqual(identifiers);
    await report(name, talked, { count, kept: kept.length });
    await checkWhole(talked, count);
  },
  300_000,
);
