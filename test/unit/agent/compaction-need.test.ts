// When older messages have to leave the window.
import { compactionNeed } from "../../../src/agent/fit-context.ts";

const settings = { compactMessages: 50 };
const maxTokens = 900;

test.each([
  ["all is well", { messages: 50, tokens: 900 }, null],
  ["one token too many", { messages: 50, tokens: 901 }, { cause: "tokens", excess: 1 }],
  ["one message too many", { messages: 51, tokens: 900 }, { cause: "messages", excess: 0 }],
  ["too much of both", { messages: 51, tokens: 1900 }, { cause: "tokens", excess: 1000 }],
  ["an empty window", { messages: 0, tokens: 0 }, null],
])("%s", (_name, load, need) => {
  expect(compactionNeed({ ...load, maxTokens }, settings)).toEqual(need);
});

test("without a limit of messages, only tokens count", () => {
  expect(compactionNeed({ messages: 1_000_000, tokens: 900, maxTokens }, { compactMessages: null })).toBeNull();
});
