// Requests of chats that are repeated, out of date or invalid, and chats whose server was killed.
import { systemClock } from "../../src/base/clock.ts";
import { repeating } from "../support/repeating-model.ts";
import { askedModel } from "../support/asked-model.ts";
import { openChatScene } from "../support/chat-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openChatScene({ models: [askedModel, repeating] }));

interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}
const user = (text: string, id = crypto.randomUUID() as string) => ({
  id,
  role: "user",
  parts: [{ type: "text", text }],
});
const assistant = (parts: readonly Part[]) => ({ id: "reply", role: "assistant", parts });
const waiting = 'CALL add_carefully {"a":20,"b":3}';
const responded = (toolCallId: string, approved = true): Part => {
  return { type: "dynamic-tool", toolCallId, state: "approval-responded", approval: { id: toolCallId, approved } };
};

async function post(agent: string, id: string, messages: readonly object[], more: object = {}) {
  const response = await scene.ask("POST", agent, { id, messages, trigger: "submit-message", ...more });
  const body = await response.text();
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const chunks = isStream ? chunksOf(body) : [];
  return { status: response.status, headers: response.headers, chunks, problem: isStream ? null : JSON.parse(body) };
}

function chunksOf(body: string): readonly Part[] {
  const lines = body.split("\n\n").filter((block) => block.startsWith("data: "));
  expect(lines.at(-1)).toBe("data: [DONE]");
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)) as Part);
}

const textOf = (chunks: readonly Part[]) =>
  chunks.map(({ type, delta }) => (type === "text-delta" ? String(delta) : "")).join("");

async function storedTexts(agent: string): Promise<readonly string[]> {
  const [conversation] = await scene.runtime.conversations.list(agent);
  const { messages } = await scene.runtime.conversations.messages(conversation!.id);
  return messages.map(({ text }) => text);
}

test("a repeated message joins its turn, while it runs and afterwards", async () => {
  const agent = await scene.newAgent();
  const messages = [user("SLOW 4")];
  const answers = await Promise.all([
    post(agent, "c", messages),
    systemClock.sleep(60).then(() => post(agent, "c", messages)),
  ]);
  answers.push(await post(agent, "c", messages));
  for (const { chunks } of answers) expect(textOf(chunks)).toBe("w0 w1 w2 w3 ");
  expect(await storedTexts(agent)).toEqual(["SLOW 4", "w0 w1 w2 w3 "]);
});

test("a repeated decision joins its turn, and is not made again", async () => {
  const agent = await scene.newAgent();
  const first = user(waiting);
  const asked = await post(agent, "c", [first]);
  expect(asked.chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "tool-calls" });
  const { toolCallId } = asked.chunks.find(({ type }) => type === "tool-approval-request")!;
  const decided = [first, assistant([responded(toolCallId as string)])];
  const answers = [await post(agent, "c", decided), await post(agent, "c", decided)];
  for (const { chunks } of answers) {
    expect(textOf(chunks)).toBe("Done: 23");
    expect(chunks.filter(({ type }) => type.startsWith("tool-"))).toEqual([
      { type: "tool-output-available", toolCallId, output: "23" },
    ]);
  }
  expect(answers[0]!.chunks).toEqual(answers[1]!.chunks);
});

test("a message that is sent with a decision is answered after it, and one without denies the call", async () => {
  const agent = await scene.newAgent();
  const first = user(waiting);
  const asked = await post(agent, "c", [first]);
  const { toolCallId } = asked.chunks.find(({ type }) => type === "tool-approval-request")!;
  const both = [first, assistant([responded(toolCallId as string)]), user("SAY next")];
  expect(textOf((await post(agent, "c", both)).chunks)).toBe("next");
  expect(await storedTexts(agent)).toEqual([waiting, "", "Done: 23", "SAY next", "next"]);
  await post(agent, "c", [user(waiting)]);
  expect(textOf((await post(agent, "c", [user("SAY over")])).chunks)).toBe("over");
  const [conversation] = await scene.runtime.conversations.list(agent);
  const { messages } = await scene.runtime.conversations.messages(conversation!.id);
  expect(messages.at(-3)!.calls).toMatchObject([{ status: "failed", request: { verdict: "denied" } }]);
});

test("a decision about a call that never waited is refused", async () => {
  const agent = await scene.newAgent();
  await post(agent, "c", [user("SAY hello")]);
  const { status, problem } = await post(agent, "c", [assistant([responded("call_99")])]);
  expect([status, problem.code]).toEqual([409, "approval_not_found"]);
});

test("the text of a model call that is repeated is marked, removed on request, and not in a replay", async () => {
  const agent = await scene.newAgent({ model: "repeating" });
  const messages = [user("Hi")];
  const marked = await post(agent, "c", messages);
  expect(textOf(marked.chunks)).toBe("HalHallo.");
  expect(marked.chunks).toContainEqual(expect.objectContaining({ type: "data-retry" }));
  expect(textOf((await post(agent, "c", messages)).chunks)).toBe("Hallo.");
  const { chunks } = await post(agent, "c", [user("Again")], { hasResets: true });
  expect(chunks.map(({ type }) => type)).toContain("reset-step");
});

test("a refused edit leaves the conversation as it was", async () => {
  const agent = await scene.newAgent();
  const first = user("SAY one");
  await post(agent, "c", [first]);
  const file = { type: "file", mediaType: "application/pdf", url: `data:application/pdf;base64,${btoa("no pdf")}` };
  const edited = {
    ...first,
    parts: [
      { type: "text", text: "SAY two" },
      { ...file, filename: "" },
    ],
  };
  const tooLong = user("x".repeat(1_000_001), first.id);
  for (const [message, refusal] of [
    [edited, 400],
    [tooLong, 413],
  ] as const) {
    const { status } = await post(agent, "c", [message], { messageId: first.id });
    expect(status).toBe(refusal);
    expect(await storedTexts(agent)).toEqual(["SAY one", "one"]);
  }
});

test("an edit that replaces a file and keeps the text is sent, and its repetition is not", async () => {
  const agent = await scene.newAgent();
  const withFile = (content: string) => ({
    id: "1",
    role: "user",
    parts: [
      { type: "text", text: "COUNT" },
      { type: "file", mediaType: "text/plain", filename: "a.txt", url: `data:text/plain,${content}` },
    ],
  });
  await post(agent, "c", [withFile("old")]);
  const [conversation] = await scene.runtime.conversations.list(agent);
  const branches = async () => (await scene.runtime.conversations.branches(conversation!.id)).length;
  for (const [content, count] of [
    ["old", 1],
    ["new", 2],
    ["new", 2],
  ] as const) {
    await post(agent, "c", [withFile(content)], { messageId: "1" });
    expect(await branches()).toBe(count);
  }
});

test("a page that is loaded again gets the files of its messages, and an edit keeps them", async () => {
  const agent = await scene.newAgent();
  const file = { type: "file", mediaType: "text/plain", filename: "tide.txt", url: "data:text/plain,Tide at noon." };
  const sent = { ...user("SAY first"), parts: [...user("SAY first").parts, file] };
  const { headers } = await post(agent, "c", [sent]);
  const [loaded] = (await (await scene.ask("GET", `${agent}/c/messages`)).json()) as [typeof sent];
  const [, kept] = loaded.parts as unknown as readonly [Part, typeof file];
  const { id: agentId } = await scene.runtime.agents.find(agent);
  const place = `/api/agents/${agentId}/conversations/${headers.get("x-conversation-id")}/files/`;
  expect(kept).toEqual({ ...file, url: expect.stringContaining(place) });
  const read = await fetch(`${scene.url}${kept.url}`, { headers: { authorization: `Bearer ${scene.key}` } });
  expect(await read.text()).toBe("Tide at noon.");
  // The first edit changes nothing.
  for (const edited of [loaded, { ...loaded, parts: [{ type: "text", text: "SAY second" }, kept] }])
    await post(agent, "c", [edited], { messageId: loaded.id });
  const [conversation] = await scene.runtime.conversations.list(agent);
  expect(await scene.runtime.conversations.branches(conversation!.id)).toHaveLength(2);
  const { messages } = await scene.runtime.conversations.messages(conversation!.id);
  expect(messages.map(({ content }) => content.at(-1))).toEqual([
    expect.objectContaining({
      type: "file",
      name: "tide.txt",
      location: expect.objectContaining({ type: "attachment" }),
    }),
    { type: "text", text: "second" },
  ]);
});

test("a chat never reaches a conversation of another agent", async () => {
  const [agent, other] = [await scene.newAgent(), await scene.newAgent()];
  const id = crypto.randomUUID();
  expect((await post(agent, id, [user("SAY mine")])).headers.get("x-conversation-id")).toBe(id);
  const { status, problem } = await post(other, id, [user("SAY theirs")]);
  expect([status, problem.code]).toEqual([404, "conversation_not_found"]);
  for (const path of ["stream", "messages"])
    expect((await scene.ask("GET", `${other}/${id}/${path}`)).status).toBe(404);
  expect((await scene.ask("POST", `${other}/${id}/stop`)).status).toBe(404);
});

test("a chat that was never used has no messages and no stream", async () => {
  const agent = await scene.newAgent();
  expect(await (await scene.ask("GET", `${agent}/new/messages`)).json()).toEqual([]);
  expect((await scene.ask("GET", `${agent}/new/stream`)).status).toBe(204);
  expect(await (await scene.ask("POST", `${agent}/new/stop`)).json()).toEqual({ isStopped: false });
  expect(await scene.runtime.conversations.list(agent)).toEqual([]);
});

test.each([
  ["no messages", { messages: [] }],
  ["no id", { id: "" }],
  ["a blank message", { messages: [user(" ")] }],
  ["only a system message", { messages: [{ ...user("x"), role: "system" }] }],
  ["a reply without decisions", { messages: [assistant([{ type: "text", text: "x" }])] }],
  ["parts that are no list", { messages: [{ id: "1", role: "user", parts: "x" }] }],
  ["a URL that is none", { messages: [{ id: "1", role: "user", parts: [{ type: "file", url: "data:nothing" }] }] }],
  ["tools without objects as parameters", { tools: { x: { parameters: { type: "string" } } } }],
])("%s is refused, and no conversation is created", async (_what, more) => {
  const agent = await scene.newAgent();
  const { status, problem } = await post(agent, "c", [user("Hi")], more);
  expect([status, problem.code]).toEqual([400, "request_invalid"]);
  expect(problem.errors[0].field).toMatch(/^body\./u);
  expect(await scene.runtime.conversations.list(agent)).toEqual([]);
});
