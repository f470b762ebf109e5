// Calls that a model wrote as plain JSON.
import { couldBeCalls, writtenCalls } from "../../../../src/llm/gguf/written-call.ts";

const names = new Set(["search"]);
const call = '{"name": "search", "arguments": {"query": "</human> %_ 你好 🎈"}}';
const read = { name: "search", arguments: '{"query":"</human> %_ 你好 🎈"}' };

describe("writtenCalls", () => {
  it.each([
    [call, [read]],
    [`\n ${call}\n`, [read]],
    [`\`\`\`json\n${call}\n\`\`\``, [read]],
    [`\`\`\`${call}\`\`\``, [read]],
    [`[${call}, ${call}]`, [read, read]],
  ])("reads %s", (text, expected) => {
    expect(writtenCalls(text, names)).toEqual(expected);
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    "``````",
    "```",
    "[null]",
    `${call} and more`,
    `[${call}, {"name": "Ada"}]`,
    '{"name": "remove", "arguments": {}}',
    '{"name": "search"}',
    '{"name": "search", "arguments": []}',
    '{"name": "search", "arguments": "{}"}',
    '{"name": "search", "arguments": {}, "id": 1}',
    "{".repeat(1e5),
    "a".repeat(1e6),
    "\ud800\u0000",
  ])("treats no other text as a call", (text) => {
    expect(writtenCalls(text, names)).toBeNull();
  });
});

describe("mayBeCalls", () => {
  it("is true for every beginning of calls", () => {
    for (const text of [call, `\n ${call}`, `\`\`\`json\n${call}\n\`\`\``, `\`\`\`${call}\`\`\``, `[${call}]`]) {
      for (let length = 0; length <= text.length; length += 1) expect(couldBeCalls(text.slice(0, length))).toBe(true);
    }
  });

  it.each(["Hi", "`a`", "``no", "```js\n", "```python\nx = 1", "```json\nhello", "Sure: {"])(
    "is false for %j",
    (text) => {
      expect(couldBeCalls(text)).toBe(false);
    },
  );
});
