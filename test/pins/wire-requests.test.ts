// The complete request of a real turn in each wire format: after a compaction, with an edit and a tool's result, in a new day.
// The files in test/pins/golden are the specification. To update one, delete it, run with GOLDEN=write and review the difference.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toAnthropicRequest } from "../../src/model/llm/anthropic/to-request.ts";
import { toChatHistory } from "../../src/model/llm/gguf/to-chat-history.ts";
import type { ModelRequest } from "../../src/model/llm/model.ts";
import { toChatRequest } from "../../src/model/llm/openai/to-chat-request.ts";
import { toResponsesRequest } from "../../src/model/llm/openai/to-responses-request.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

const runtimes = useRuntimes();
let request: ModelRequest;

const dayMs = 86_400_000;

beforeAll(async () => {
  const replies = [
    { text: "Hello, Ada." },
    { text: "The ferry, then." },
    { text: "On 2026-11-20 Ada said that she takes the ferry to Almada." },
    { toolCalls: [append("Daughter: Ana, 9 years old (November 2026)")] },
    { text: "Noted." },
  ];
  const clock = createManualClock(Date.UTC(2026, 10, 20, 18, 40));
  const { agent, model, runtime, name } = await openScene(runtimes, replies, {
    clock,
    keepLast: 2,
    timeZone: "Europe/Lisbon",
  });
  await runtime.memory.set(name, "human", "Name: Ada");
  await runtime.archival.add(name, "Ada keeps a boat in Almada.", { tags: ["boat"] });
  for (const text of ["I am Ada.", "I take the ferry to Almada."]) await drain(agent.send(text));
  await agent.compact();
  await clock.advance(3 * dayMs);
  await drain(agent.send("My daughter Ana is nine today."));
  request = model.requests.at(-1)!;
});

/** The key and the ids of calls are random. */
const masked = (body: unknown): string =>
  `${JSON.stringify(body, null, 2)
    .replaceAll(/\d{19}/gu, "KEY")
    .replaceAll(/\bcall_[\w-]+/gu, "CALL")}\n`;

const withoutTools = ({ tools: _tools, ...body }: object & { tools?: unknown }): object => body;

test.each<[string, (request: ModelRequest) => object]>([
  ["chat", (of) => toChatRequest(of, { model: "m", limitField: "max_completion_tokens", stateChannel: "system" })],
  ["chat-joined", (of) => toChatRequest(of, { model: "m", limitField: "max_tokens", stateChannel: "joined" })],
  ["responses", (of) => toResponsesRequest(of, { model: "m", origin: "openai/m" })],
  ["anthropic", (of) => toAnthropicRequest(of, { model: "m", origin: "anthropic/m" })],
  ["gguf", (of) => ({ history: toChatHistory(of) })],
])("the request of %s is exactly this", (name, convert) => {
  const path = fileURLToPath(new URL(`golden/request-${name}.json`, import.meta.url));
  const body = masked(withoutTools(convert(request)));
  if (!existsSync(path) && process.env["GOLDEN"] === "write") writeFileSync(path, body);
  expect(body).toBe(readFileSync(path, "utf8"));
});
