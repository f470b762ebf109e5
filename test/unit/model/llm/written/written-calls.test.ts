// Tool calls that a model wrote as text.
import { couldBeCalls, readWrittenCalls } from "../../../../../src/model/llm/written/written-call-model.ts";

const tools = [
  { name: "search", parameters: { type: "object", properties: { query: {} }, required: ["query"] } },
  {
    name: "core_memory_append",
    parameters: { type: "object", properties: { note: {}, name: {}, content: {} }, required: ["name", "content"] },
  },
].map((tool) => ({ ...tool, description: "" }));

const query = "</human> %_ 你好 🎈";
const json = JSON.stringify({ query });
const call = `{"name": "search", "arguments": ${json}}`;
const read = { name: "search", arguments: json };
const appended = { name: "core_memory_append", arguments: '{"name":"human","content":"Ada"}' };

const written: readonly (readonly [string, readonly unknown[]])[] = [
  [call, [read]],
  [`\n ${call}\n`, [read]],
  [`\`\`\`json\n${call}\n\`\`\``, [read]],
  [`\`\`\`${call}\`\`\``, [read]],
  [`<tool_call>\n${call}\n</tool_call>`, [read]],
  [`[${call}, {"name": "search", "arguments": {"query": "b"}}]`, [read, { ...read, arguments: '{"query":"b"}' }]],
  [`{"type": "function", "function": {"name": "search", "arguments": ${JSON.stringify(json)}}}`, [read]],
  [`{"name": "Search", "parameters": ${json}, "id": 1}`, [read]],
  [`call search ${json}`, [read]],
  [`search ${json}`, [read]],
  [`search(${json})`, [read]],
  [`Search("${query}");`, [read]],
  [`search: "${query}"`, [read]],
  [`search('${query}')`, [read]],
  [`\`\`\`python\nsearch(query="${query}")\n\`\`\``, [read]],
  [`CoreMemoryAppend("human", 'Ada')`, [appended]],
  [`core-memory-append(content="Ada", name="human")`, [{ ...appended, arguments: '{"content":"Ada","name":"human"}' }]],
  [`core_memory_append({"name":"human",\n"content":"Ada"})\nsearch("${query}")`, [appended, read]],
];

test.each(written)("%s is read as calls", (text, expected) => {
  expect(readWrittenCalls(text, tools)).toEqual({ calls: expected, text: "" });
});

test("a repeated call is read once, and the text after calls is kept", () => {
  expect(readWrittenCalls(`${call}\n${call}\nNice to meet you,\nAda.`, tools)).toEqual({
    calls: [read],
    text: "Nice to meet you,\nAda.",
  });
});

test.each([
  "",
  "{",
  "null",
  "[]",
  "``````",
  "```",
  "[null]",
  `${call} and more`,
  `Sure: ${call}`,
  `For example:\n${call}`,
  `[${call}, {"name": "Ada"}]`,
  '{"name": "remove", "arguments": {}}',
  '{"name": "search"}',
  '{"name": "search", "arguments": []}',
  '{"name": "search", "arguments": {}, "why": 1}',
  "search for boats",
  "search(boats)",
  'search("a", "b")',
  'search("a" + "b")',
  "Search: the harbour.",
  'remember("Ada")',
  "{".repeat(1e5),
  "(".repeat(1e5),
  "a".repeat(1e6),
  `search("${"a".repeat(1e6)}`,
  "\ud800\u0000",
])("no other text is read as a call", (text) => {
  expect(readWrittenCalls(text, tools)).toBeNull();
});

test.each(written)("every beginning of %s may become calls", (text) => {
  for (let length = 0; length <= text.length; length += 1) {
    expect([text.slice(0, length), couldBeCalls(text.slice(0, length), tools)]).toEqual([text.slice(0, length), true]);
  }
});

test.each(["Hi", "`a`", "``no", "```python\nx = 1", "```json\nhello", "Sure: {", "Searching", "search for", "called"])(
  "%j is known not to be a call",
  (text) => {
    expect(couldBeCalls(text, tools)).toBe(false);
  },
);
