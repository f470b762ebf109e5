// The context of a model call that a program makes itself, from a prompt, the state of a task and a conversation.
import { buildAgentContext, type SpokenMessage } from "../../../src/context/buffer/build-agent-context.ts";
import { RequestError } from "../../../src/base/errors.ts";

// A token is a character, so that the tests can count.
const countTokens = (text: string): number => text.length;
const systemPrompt = "You plan."; // 9
const scratchpad = "step: 2"; // 7

/** Turns of ten tokens, `u0…` and `a0…`. */
const turns = (count: number): readonly SpokenMessage[] =>
  Array.from({ length: count }, (_, index) => [
    { role: "user" as const, text: `u${index}...` },
    { role: "assistant" as const, text: `a${index}...` },
  ]).flat();

const context = (maxTokens: number, change: Partial<Parameters<typeof buildAgentContext>[0]> = {}) =>
  buildAgentContext({ systemPrompt, scratchpad, messages: turns(6), maxTokens, countTokens, ...change });

const textsOf = ({ messages }: Awaited<ReturnType<typeof context>>): readonly string[] =>
  messages.map(({ content }) => content);

test("what fits is there as it is: the prompt, the state, the older turns and the last ones", async () => {
  const built = await context(76);
  expect(textsOf(built)).toEqual([systemPrompt, scratchpad, ...turns(6).map(({ text }) => text)]);
  expect(built.messages.slice(0, 3).map(({ role }) => role)).toEqual(["system", "system", "user"]);
  expect(built).toMatchObject({ tokens: { system: 16, working: 40, archive: 20 }, summary: null, leftOut: 0 });
});

test("older turns that do not fit become a summary, which sees all of them", async () => {
  const asked: string[] = [];
  const summarizer = async (messages: readonly SpokenMessage[]) => {
    asked.push(messages.map(({ text }) => text).join(" "));
    return "planned";
  };
  const long = turns(12);
  const built = await context(100, { messages: long, recentTurns: 3, summarizer });
  expect(asked).toEqual([
    long
      .slice(0, 18)
      .map(({ text }) => text)
      .join(" "),
  ]);
  expect(textsOf(built).slice(2, 4)).toEqual(["Summary of the earlier conversation:\nplanned", "u9..."]);
  expect(built).toMatchObject({ tokens: { system: 16, working: 34, archive: 44 }, summary: "planned", leftOut: 0 });
});

test.each([
  ["without a summarizer", {}],
  ["with a summary that is too long", { summarizer: async () => "x".repeat(100) }],
])("%s the oldest turns are left out as a whole", async (_, change) => {
  const built = await context(75, change);
  expect(textsOf(built)[2]).toBe("u1...");
  expect(built).toMatchObject({ tokens: { system: 16, working: 40, archive: 10 }, summary: null, leftOut: 2 });
});

test("the last turns give way after the older ones, and the very last one stays", async () => {
  expect(await context(48)).toMatchObject({ tokens: { system: 16, working: 30, archive: 0 }, leftOut: 6 });
  expect(await context(26)).toMatchObject({ tokens: { system: 16, working: 10, archive: 0 }, leftOut: 10 });
  await expect(context(25)).rejects.toThrow(
    "Expected `maxTokens` to be at least 26, for the prompt, the state and the last turn; got 25.",
  );
});

test("messages of the user in a row, and tools of the assistant, belong to one turn", async () => {
  const messages: readonly SpokenMessage[] = [
    { role: "user", text: "one" },
    { role: "user", text: "two" },
    { role: "assistant", text: "three" },
    { role: "user", text: "four" },
  ];
  expect(textsOf(await context(30, { messages, recentTurns: 1, scratchpad: null }))).toEqual([
    systemPrompt,
    "one",
    "two",
    "three",
    "four",
  ]);
  expect(textsOf(await context(23, { messages, recentTurns: 1, scratchpad: null }))).toEqual([systemPrompt, "four"]);
});

test("an empty conversation has the prompt alone", async () => {
  expect(await context(16, { messages: [] })).toMatchObject({ tokens: { system: 16, working: 0, archive: 0 } });
});

test.each([
  ["a message of another form", { messages: [{ role: "user", content: "Hello" }] }, /messages\[0\].*`role`.*`text`/u],
  ["an unknown option", { tokenBudget: 5 }, /unknown option `tokenBudget`/u],
  ["a budget of no tokens", { maxTokens: 0 }, /maxTokens/u],
])("%s is refused", async (_, change, expected) => {
  const refused = context(50, change as object);
  await expect(refused).rejects.toThrow(RequestError);
  await expect(refused).rejects.toThrow(expected);
});
