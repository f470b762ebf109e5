// What is in the window for any history, budget and results: never over the budget, a call never without its result, the
// running turn always there, the same for the same input, and valid for every provider.
// `FUZZ_TRIALS`: the number of trials, 120 by default.
import fc from "fast-check";
import {
  type CompiledContext,
  compileContext,
  type ContextBudget,
} from "../../../src/context/window/compile-context.ts";
import { stateNote } from "../../../src/context/window/state-entries.ts";
import { escapeMessage } from "../../../src/base/message/reserved-tags.ts";
import { toAnthropicRequest } from "../../../src/model/llm/anthropic/to-request.ts";
import { toChatRequest } from "../../../src/model/llm/openai/to-chat-request.ts";
import { toResponsesRequest } from "../../../src/model/llm/openai/to-responses-request.ts";
import { checkRequest } from "../../support/check-request.ts";
import { type Message, toolCallsOf } from "../../../src/base/message/message.ts";
import { countMessage } from "../../../src/model/tokens/token-counter.ts";
import { createTokenScale } from "../../../src/model/tokens/token-scale.ts";
import type { StoredMessage } from "../../../src/store/port/records.ts";
import { loadPrompt } from "../../../src/context/prompts/load-prompt.ts";
import { checkBody } from "../../support/journal-checks.ts";
import { storedMessage } from "../../support/messages.ts";
import { windowBudget, windowState } from "../../support/window-state.ts";

const counter = { count: (text: string) => text.length, countFile: () => 0, exact: true, prepare: () => undefined };

function counted(fields: Parameters<typeof storedMessage>[0]): StoredMessage {
  const message = storedMessage(fields);
  return { ...message, tokens: countMessage(counter, escapeMessage(message)) };
}

const words = fc.oneof(
  fc.string({ minLength: 1, maxLength: 60 }),
  fc.integer({ min: 1, max: 4000 }).map((length) => "x😀".repeat(length)),
  fc.constantFrom("</current_state>", "a".repeat(3000), "日本語".repeat(50), "\ud800", "%_"),
);
const results = fc.array(words, { maxLength: 3 });

interface Exchange {
  readonly said: string;
  readonly steps: readonly (readonly string[])[];
  readonly reply: string;
  /** The last result of each step was never stored. */
  readonly isBroken: boolean;
}

/** Tokens that the explanation of the state block takes of each window. */
const note = stateNote(loadPrompt("state-note"), "k1").length;

const exchange: fc.Arbitrary<Exchange> = fc.record({
  // `agent.send` rejects a blank message, so a window always has text to send.
  said: words.filter((text) => text.trim() !== ""),
  steps: fc.array(results, { maxLength: 3 }),
  reply: words,
  isBroken: fc.boolean(),
});

function messagesOf(
  { said, steps, reply, isBroken }: Exchange,
  at: number,
  isRunning: boolean,
): readonly StoredMessage[] {
  const turnId = `turn ${at}`;
  const text = (value: string) => [{ type: "text" as const, text: value }];
  const calls = steps.flatMap((texts, step) => {
    if (texts.length === 0) return [];
    const ids = texts.map((_, index) => `call ${at} ${step} ${index}`);
    const call = ids.map((callId) => ({ type: "tool-call" as const, callId, name: "echo", arguments: "{}" }));
    const answers = texts.map((value, index) => ({
      type: "tool-result" as const,
      callId: ids[index] ?? "",
      name: "echo",
      status: "ok" as const,
      text: value,
    }));
    return [
      counted({ turnId, role: "assistant", content: call }),
      ...answers
        .slice(0, isBroken && !isRunning ? -1 : undefined)
        .map((part) => counted({ turnId, role: "tool", content: [part] })),
    ];
  });
  const opening = counted({ turnId, role: "user", content: text(said) });
  return [opening, ...calls, ...(isRunning ? [] : [counted({ turnId, role: "assistant", content: text(reply) })])];
}

const tier = fc
  .tuple(fc.double({ min: 0, max: 0.3, noNaN: true }), fc.double({ min: 0.05, max: 1, noNaN: true }))
  .map(([minimum, maximum]) => ({ minimum: Math.min(minimum, maximum), maximum }));

const rankedTier = fc
  .tuple(tier, fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }))
  .map(([limits, priority]) => ({ ...limits, priority }));

const scene = fc.record({
  exchanges: fc.array(exchange, { minLength: 1, maxLength: 12 }),
  summaries: fc
    .array(words, { maxLength: 5 })
    .map((texts) => texts.map((text, at) => ({ text, throughPosition: 10 * at + 10 }))),
  entry: fc.option(words, { nil: null }),
  window: fc.oneof(fc.integer({ min: 50, max: 1500 + note }), fc.integer({ min: 50, max: 60_000 })),
  reserve: fc.integer({ min: 0, max: 40 }),
  factor: fc.double({ min: 0.25, max: 4, noNaN: true }),
  recentTurns: fc.integer({ min: 0, max: 6 }),
  tiers: fc.record({ system: tier, working: rankedTier, archive: rankedTier }),
});

type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never;

function compiled({ exchanges, summaries, entry, factor, ...limits }: Scene) {
  const turns = exchanges.map((one, at) => messagesOf(one, at, at === exchanges.length - 1));
  const messages = turns.flat();
  const last = messages.at(-1);
  if (last !== undefined && entry !== null) messages[messages.length - 1] = { ...last, stated: { text: entry } };
  const state = windowState({ messages, summaries, turnId: `turn ${exchanges.length - 1}` });
  const budget: ContextBudget = windowBudget({ ...limits, scale: createTokenScale(factor) });
  return { state, budget, running: turns.at(-1) ?? [], context: compileContext(state, budget) };
}

function recount({ system, messages, found }: CompiledContext): number {
  const texts = [system.instructions, system.memory, found?.text ?? ""].map((text) => text.length);
  return [...texts, ...messages.map((message) => countMessage(counter, message))].reduce((sum, part) => sum + part, 0);
}

/** What messages hold, without state entries and without the texts of results, which may be clipped, and without blank text, which no provider takes. */
function outline(messages: readonly Message[]): readonly unknown[] {
  const parts = messages
    .flatMap(({ content }) => content)
    .filter((part) => part.type !== "state" && (part.type !== "text" || part.text.trim() !== ""));
  return parts.map((part) => (part.type === "tool-result" ? { ...part, text: "" } : part));
}

test("a compiled window is within its limits for any history, budget and results", () => {
  fc.assert(
    fc.property(scene, (given) => {
      const { state, budget, running, context } = compiled(given);
      const { report, messages } = context;
      const room = budget.window - budget.reserve;
      if (report.overflow === null) {
        expect(report.total).toBeLessThanOrEqual(room);
      } else {
        const { system, working } = report.tiers;
        expect(system.tokens + (working.parts.turn ?? 0)).toBeGreaterThan(room - 2);
        expect(report.overflow.tokens).toBeGreaterThan(report.overflow.budget);
      }
      expect(recount(context)).toBeLessThanOrEqual(report.counted);
      const parts = Object.values(report.tiers).flatMap((one) => Object.values(one.parts));
      expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(report.total);
      const runningIds = new Set(running.flatMap((message) => toolCallsOf(message).map(({ callId }) => callId)));
      const own = outline(running.map(escapeMessage));
      expect(outline(messages).slice(outline(messages).length - own.length)).toEqual(own);
      expect(runningIds.size).toBe(running.filter(({ role }) => role === "tool").length);
      expect(compileContext(state, budget)).toEqual(context);
    }),
    { numRuns: Number(process.env["FUZZ_TRIALS"] || 120) },
  );
});

test("a compiled window is a request that every provider accepts", () => {
  fc.assert(
    fc.property(scene, (given) => {
      const request = { ...compiled(given).context, tools: [], maxOutputTokens: 100 };
      expect(checkRequest(request)).toEqual([]);
      expect([
        ...checkBody("anthropic", toAnthropicRequest(request, { model: "m", origin: "anthropic/m" })),
        ...checkBody("chat", toChatRequest(request, { model: "m", limitField: "max_tokens", stateChannel: "joined" })),
        ...checkBody("responses", toResponsesRequest(request, { model: "m", origin: "openai/m" })),
      ]).toEqual([]);
    }),
    { numRuns: Number(process.env["FUZZ_TRIALS"] || 100) },
  );
});

const say = (turnId: string, text: string, role: "user" | "assistant" = "user") =>
  counted({ turnId, role, content: [{ type: "text", text }] });

test("system and the last turns are fixed, and older ones fill the remainder, newest first", () => {
  // 100 characters a message, and 4 for the message itself; a turn is a question and its answer: 208 tokens.
  const turns = Array.from({ length: 10 }, (_, at) => [
    say(`${at}`, "q".repeat(100)),
    say(`${at}`, "a".repeat(100), "assistant"),
  ]);
  const state = windowState({ messages: turns.flat(), coreMemory: "", systemPrompt: "S" });
  const free = compileContext(state, windowBudget()).report;
  expect(free.tiers.working.tokens).toBe(4 * 208);
  expect(free.tiers.archive.tokens).toBe(6 * 208);
  const fixed = free.tiers.system.tokens + free.tiers.working.tokens;
  const { report, messages } = compileContext(state, windowBudget({ window: fixed + 2 * 208 + 207 }));
  expect(report.tiers.archive.parts).toEqual({ summaries: 0, olderTurns: 2 * 208 });
  expect(messages).toHaveLength(12);
  expect(report.leftOut).toEqual([
    { part: "turns", count: 4, tokens: 4 * 208, reason: "older than the budget allows" },
  ]);
  expect(report.demand).toBe(free.total);
});

test("an older turn that does not fit ends the archive, even if an earlier one would fit: there are no gaps", () => {
  const turns = [
    [say("0", "small")],
    [say("1", "x".repeat(5000))],
    ...["2", "3", "4", "5"].map((turnId) => [say(turnId, "small")]),
  ];
  const state = windowState({ messages: turns.flat() });
  for (const recentTurns of [0, 4, 5, 6]) {
    expect(compileContext(state, windowBudget({ window: 1000 + note, recentTurns })).messages).toHaveLength(4);
  }
});

test("a summary keeps its space despite last turns that would fill the window, by the archive's minimum", () => {
  const turns = Array.from({ length: 5 }, (_, at) => [say(`${at}`, "x".repeat(1000))]);
  const state = windowState({
    messages: turns.flat(),
    turnId: "4",
    summaries: [{ text: "They met.", throughPosition: 7 }],
  });
  const { report, messages } = compileContext(state, windowBudget({ window: 4500 + note }));
  expect(JSON.stringify(messages[1])).toContain("They met.");
  expect(report.compacted).toEqual({ messages: 7, summaries: 1 });
  expect(report.leftOut).toEqual([expect.objectContaining({ part: "turns", count: 1 })]);
});

test("a truncation leaves no summary, its messages count as left out, and the report counts none", () => {
  const summaries = [{ text: "", throughPosition: 7 }];
  const state = windowState({ messages: [say("0", "hello")], turnId: "0", summaries });
  const { report, messages, leftOut } = compileContext(state, windowBudget());
  expect(messages).toHaveLength(1);
  expect(leftOut).toBe(7);
  expect(report.compacted).toEqual({ messages: 7, summaries: 0 });
});

test("an overlong result of the running turn is clipped, and says how to read the rest", () => {
  const running = messagesOf(
    { said: "Read it.", steps: [["line 🙂\n".repeat(2000)]], reply: "", isBroken: false },
    0,
    true,
  );
  const state = windowState({ messages: running, turnId: "turn 0" });
  const { messages, report } = compileContext(state, windowBudget({ window: 4000 }));
  const part = messages.at(-1)?.content[0];
  const text = part?.type === "tool-result" ? part.text : "";
  expect(text).toMatch(
    /^(?:line 🙂\n)+\[Clipped: the first \d+ of 14000 characters are shown, because the window is full\. To read the rest, ask echo for less at once\.\]$/u,
  );
  expect(text.isWellFormed()).toBe(true);
  expect(text.length).toBeLessThanOrEqual(1000);
  expect(report.leftOut).toEqual([
    expect.objectContaining({ part: "result", count: 1, reason: "the result of echo is longer than its share" }),
  ]);
  expect(report.overflow).toBeNull();
});

test("an overflow names the part that is too long, and its limit", () => {
  const long = windowState({ messages: [say("0", "x".repeat(3000))], turnId: "0" });
  expect(compileContext(long, windowBudget({ window: 1000 })).report.overflow).toMatchObject({
    part: "turn",
    tokens: 3004,
  });
  const prompt = windowState({ systemPrompt: "y".repeat(3000), messages: [say("0", "hi")], turnId: "0" });
  expect(compileContext(prompt, windowBudget({ window: 1000 })).report.overflow).toMatchObject({
    part: "instructions",
  });
});

test("a turn is rendered once, and again only if it was the last or is counted otherwise", () => {
  const rendered: string[] = [];
  const render = (message: StoredMessage): Message => {
    rendered.push(message.id);
    return { role: message.role, content: message.content };
  };
  const [asked, called, answer] = messagesOf({ said: "a", steps: [["b"]], reply: "", isBroken: false }, 0, true);
  const messages = [say("before", "x"), asked!, called!];
  const budget = windowBudget();
  const broken = compileContext(windowState({ messages, render }), budget).report.counted;
  expect(rendered).toEqual(messages.map((message) => message!.id));
  rendered.length = 0;
  const whole = windowState({ messages: [...messages, answer!], render });
  const first = compileContext(whole, budget);
  expect(compileContext(whole, budget)).toEqual(first);
  expect(rendered).toEqual([asked, called, answer].map((message) => message!.id));
  const double = windowBudget({ count: (text) => 2 * text.length });
  expect(compileContext(windowState({ messages, render }), double).report.counted).toBeGreaterThan(broken);
});

/** Changes of a window: rewound by some messages, cut at its beginning, or continued by messages of a turn. */
const windowChange = fc.record({
  rewound: fc.nat({ max: 6 }),
  cut: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat({ max: 4 })),
  added: exchange,
  /** Whether the messages belong to the turn of the last message. */
  sameTurn: fc.boolean(),
});

test("a window that was rewound, cut or continued is compiled as if it were new", () => {
  fc.assert(
    fc.property(fc.array(windowChange, { minLength: 1, maxLength: 12 }), (changes) => {
      const render = ({ role, content }: StoredMessage): Message => ({ role, content });
      const budget = windowBudget({ window: 20_000, recentTurns: 2 });
      let messages: readonly StoredMessage[] = [];
      for (const [at, { rewound, cut, added, sameTurn }] of changes.entries()) {
        const kept = messages.slice(cut, Math.max(cut, messages.length - rewound));
        const turnId = sameTurn ? (kept.at(-1)?.turnId ?? "first") : `turn ${at}`;
        messages = [...kept, ...messagesOf(added, at, false).map((message) => ({ ...message, turnId }))];
        const changed = compileContext(windowState({ messages, turnId, render }), budget);
        const fresh = windowState({ messages, turnId, render: (message) => render(message) });
        expect(changed).toEqual(compileContext(fresh, budget));
      }
    }),
  );
});
