// Questions that MCP servers ask during a call: answered by a program, in the chat and headless, and declined otherwise.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { PassThrough } from "node:stream";
import { packageRoot } from "../../src/base/package-root.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { McpQuestion } from "../../src/runtime/mcp.ts";
import { pressed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { runInWorld } from "../support/fake-world.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { controlLine, readStream, userLine } from "../support/stream-lines.ts";
import { useFolder } from "../support/folders.ts";

const server = path.join(packageRoot(), "test/support/hostile-mcp-server.mjs");
const runtimes = useRuntimes();
const folder = useFolder();
let agents = 0;

const say = { name: "words__say", arguments: { word: "hi" }, callId: "c" };

async function openRuntime(mode: string, options: object = {}) {
  const words = {
    command: process.execPath,
    args: [server],
    env: { MODE: mode, CALLS: path.join(folder, mode) },
    ...options,
  };
  const model = createScriptedModel({ replies: [{ toolCalls: [say] }, { text: "done" }] });
  return runtimes.open({ model: "scripted", models: [model], mcpServers: { words } });
}

async function sceneOf(mode: string, options: object = {}) {
  const runtime = await openRuntime(mode, options);
  const asked: McpQuestion[] = [];
  const watch = () => runtime.mcp.watchQuestions((question) => asked.push(question));
  if (mode === "asks early") watch();
  await runtime.agents.open(`agent-${(agents += 1)}`, { create: { human: "" } });
  await runtime.mcp.trust("words__say");
  const agent = await runtime.agents.open(`agent-${agents}`);
  return { runtime, agent, asked, watch };
}

async function until<Value>(find: () => Value | undefined): Promise<Value> {
  for (let tries = 0; tries < 500; tries += 1) {
    const value = find();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("It never came.");
}

const resultIn = (events: readonly object[]) =>
  events.flatMap((event) =>
    "type" in event && event.type === "tool-result" ? [(event as { text?: string }).text] : [],
  )[0];

test("a question waits for its answer, which is checked, and the time of the call stands still", async () => {
  const { runtime, agent, asked, watch } = await sceneOf("asks", { timeoutSeconds: 1 });
  watch();
  const turn = drain(agent.send("go"));
  const question = await until(() => asked[0]);
  expect(question).toMatchObject({ server: "words", message: "Which room?" });
  expect(question.fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ["city", "text", true],
    ["nights", "integer", true],
    ["view", "choice", false],
    ["quiet", "boolean", false],
    ["beds", "integer", false],
    ["extras", "choices", false],
  ]);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const refused = [
    [{ city: "Porto" }, "expected a value for nights, got none"],
    [{ city: "Porto", nights: "two" }, "expected a whole number for nights"],
    [{ city: "Porto", nights: 2.5 }, "expected a whole number for nights"],
    [{ city: "Porto", nights: 2, view: "wall" }, "expected one of the options sea, hills for view"],
    [{ city: "Porto", nights: 2, extras: "bath, pool" }, "expected some of the options bath, desk for extras"],
    [{ city: "Porto", nights: 2, quiet: "maybe" }, "expected yes or no for quiet"],
    [{ city: "Porto", nights: 2, more: 1 }, "expected only the fields city, nights"],
  ] as const;
  for (const [content, reason] of refused) {
    await expect(runtime.mcp.answer(question.id, { action: "accept", content })).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringContaining(reason),
    });
  }
  const content = { city: "Porto", nights: "2", view: "sea", quiet: "yes", beds: "3", extras: "desk, bath" };
  await runtime.mcp.answer(question.id, { action: "accept", content });
  expect(JSON.parse(resultIn(await turn)!)).toEqual({
    action: "accept",
    content: { city: "Porto", nights: 2, view: "sea", quiet: true, beds: 3, extras: ["bath", "desk"] },
  });
  expect(runtime.mcp.questions()).toEqual([]);
  await expect(runtime.mcp.answer(question.id, { action: "decline" })).rejects.toMatchObject({ code: "input_invalid" });
});

test("without anyone who watches, and outside of a call, a question is declined at once", async () => {
  const { agent } = await sceneOf("asks");
  expect(resultIn(await drain(agent.send("go")))).toBe('{"action":"decline"}');
  const early = await sceneOf("asks early");
  expect(early.asked).toEqual([]);
  // The server writes it when it has the answer, which may be later than its list of tools.
  const file = path.join(folder, "asks early");
  await until(() => existsSync(file) || undefined);
  expect(await readFile(file, "utf8")).toBe('early {"action":"decline"}\n');
});

test("a stopped turn takes its question back", async () => {
  const { runtime, agent, asked, watch } = await sceneOf("asks");
  watch();
  const stop = new AbortController();
  const turn = drain(agent.send("go", { signal: stop.signal }));
  await until(() => asked[0]);
  stop.abort();
  expect((await turn).at(-1)).toMatchObject({ type: "turn-end", stopReason: "interrupted" });
  expect(runtime.mcp.questions()).toEqual([]);
});

test.each(["asks and dies", "asks and ends"])("a server that %s takes its question back", async (mode) => {
  const { runtime, agent, asked, watch } = await sceneOf(mode);
  watch();
  const turn = drain(agent.send("go"));
  await until(() => asked[0]);
  await turn;
  expect(runtime.mcp.questions()).toEqual([]);
});

test("a server takes one of two questions back, and the time of the call stands still for the other", async () => {
  const { runtime, agent, asked, watch } = await sceneOf("asks and cancels", { timeoutSeconds: 1 });
  watch();
  const turn = drain(agent.send("go"));
  await until(() => asked[1]);
  await until(() => (runtime.mcp.questions().length === 1 ? true : undefined));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const [question] = runtime.mcp.questions();
  expect(question).toMatchObject({ message: "Which room?" });
  await runtime.mcp.answer(question!.id, { action: "accept", content: { city: "Porto", nights: 2 } });
  expect(JSON.parse(resultIn(await turn)!)).toMatchObject({ action: "accept" });
});

test("the chat shows a question, and /answer answers it while the call waits", async () => {
  const { runtime, agent } = await sceneOf("asks");
  const chat = createChat({ runtime, agent, version: "0", color: false }, { columns: 100, rows: 40 });
  const shown = () => JSON.stringify(chat.getState().items);
  const type = (text: string) => (chat.handlePaste(text), chat.handleKey(pressed("enter")));
  type("go");
  await until(() => (shown().includes("The MCP server words asks: Which room?") ? true : undefined));
  expect(shown()).toContain("view (optional): sea | hills");
  type("/answer city=Porto nights=none");
  await until(() => (shown().includes("expected a whole number for nights") ? true : undefined));
  type('/answer city="Vila Nova" nights=2');
  await until(() => (shown().includes("done") ? true : undefined));
  const result = chat.getState().items.find(({ kind }) => kind === "tool-result");
  expect(result).toMatchObject({ text: '{"action":"accept","content":{"city":"Vila Nova","nights":2,"beds":2}}' });
});

test("a headless run reports a question and takes its answer at once; at the end of its input it is declined", async () => {
  const run = async (answer: (id: string) => string) => {
    const runtime = await openRuntime("asks");
    const input = new PassThrough();
    const lines: string[] = [];
    const stdout = new PassThrough().on("data", (data: Buffer) => lines.push(data.toString()));
    const flags = [
      "--input-format",
      "stream-json",
      "--output-format",
      "stream-json",
      "-a",
      `headless-${(agents += 1)}`,
    ];
    const ended = runInWorld(flags, { openRuntime: async () => runtime, input, stdout });
    input.write(userLine("go") + controlLine("r-1", { subtype: "approve", call_id: "c" }));
    const records = () => readStream(lines.join(""));
    const question = await until(() =>
      lines.join("").includes('"question"') ? records().find(({ type }) => type === "question") : undefined,
    );
    expect(question).toMatchObject({ server: "words", message: "Which room?" });
    const answered = answer("question_id" in question ? question.question_id : "");
    input.end(answered);
    await ended;
    return records();
  };
  const content = { city: "Porto", nights: 2 };
  const accepted = await run(
    (question_id) =>
      controlLine("r-2", { subtype: "answer", question_id: "no", content }) +
      controlLine("r-3", { subtype: "answer", question_id, content }),
  );
  expect(resultIn(accepted)).toBe('{"action":"accept","content":{"city":"Porto","nights":2,"beds":2}}');
  expect(accepted.flatMap((one) => (one.type === "control_response" ? [[one.request_id, one.subtype]] : []))).toEqual([
    ["r-1", "success"],
    ["r-2", "error"],
    ["r-3", "success"],
  ]);
  expect(resultIn(await run(() => ""))).toBe('{"action":"decline"}');
});
