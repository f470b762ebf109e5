// Agents behind the AI SDK's chat, driven by its own transport and state, in versions 6 and 7.
import type { UIMessage } from "ai-6";
import { letGoOn } from "../support/asked-model.ts";
import { sdks } from "../support/ai-sdks.ts";
import { lastParts, openChatScene, settled, textOf } from "../support/chat-scene.ts";
import { until } from "../support/until.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openChatScene());

const say = (text: string) => ({ text });
const load = async (agent: string, chatId: string) =>
  (await (await scene.ask("GET", `${agent}/${chatId}/messages`)).json()) as UIMessage[];
const kindsOf = (parts: readonly { readonly type?: unknown }[]) => parts.map(({ type }) => type);

describe.each(sdks)("a chat of ai %s", (version, sdk) => {
  const chatId = (name: string) => `${name}-${version}`;

  test("streams thoughts and text, and has the turn as the message", async () => {
    const agent = await scene.newAgent();
    const data: unknown[] = [];
    const ends: unknown[] = [];
    const chat = scene.open(sdk, agent, {
      id: chatId("first"),
      onData: (part) => data.push(part),
      onFinish: (end) => ends.push(end.finishReason),
    });
    await chat.sendMessage(say("THINK and SAY one two three"));
    expect(chat.error).toBeUndefined();
    expect(lastParts(chat)).toEqual([
      { type: "step-start" },
      expect.objectContaining({ type: "reasoning", text: "Well.", state: "done" }),
      expect.objectContaining({ type: "text", text: "one two three", state: "done" }),
    ]);
    const metadata = chat.lastMessage!.metadata as Record<string, unknown>;
    expect(metadata).toMatchObject({ turnId: chat.lastMessage!.id, stopReason: "end-turn", steps: 1 });
    expect(metadata["usage"]).toMatchObject({ inputTokens: 10, outputTokens: 2 });
    expect(ends).toEqual(["stop"]);
    expect(data).toEqual([
      expect.objectContaining({ type: "data-window", data: expect.objectContaining({ step: 1, limit: 100_000 }) }),
    ]);
  });

  test("adds only the last message to the conversation, which the chat's id stands for", async () => {
    const agent = await scene.newAgent();
    const id = crypto.randomUUID();
    const chat = scene.open(sdk, agent, { id });
    await chat.sendMessage(say("COUNT"));
    expect(textOf(chat.lastMessage)).toBe("user=1 ");
    await chat.sendMessage(say("COUNT again"));
    expect(textOf(chat.lastMessage)).toBe("user=2 ");
    const { messages } = await scene.runtime.conversations.messages(id);
    expect(messages.filter(({ role }) => role === "user").map(({ idempotencyKey }) => idempotencyKey)).toEqual(
      chat.messages.filter(({ role }) => role === "user").map((message) => message.id),
    );
    const other = scene.open(sdk, agent, { id: chatId("other") });
    await other.sendMessage(say("COUNT"));
    expect(textOf(other.lastMessage)).toBe("user=1 ");
  });

  test("shows calls of the agent with their results, and the memory edits that they made", async () => {
    const agent = await scene.newAgent();
    const chat = scene.open(sdk, agent, { id: chatId("memory"), onToolCall: () => expect("run").toBe("never") });
    await chat.sendMessage(say('CALL core_memory_append {"name":"human","content":"Sails."}'));
    const parts = lastParts(chat);
    expect(kindsOf(parts)).toEqual(["step-start", "dynamic-tool", "data-memory-edit", "step-start", "text"]);
    expect(parts[1]).toMatchObject({
      toolName: "core_memory_append",
      state: "output-available",
      input: { name: "human", content: "Sails." },
      providerExecuted: true,
    });
    expect(parts[2]).toMatchObject({ data: { label: "human", before: "", after: "Sails.", revision: 1 } });
  });

  test.each([
    [true, "output-available", "Done: 23"],
    [false, "output-denied", /not today/u],
  ])("decides about a call that waits: approved %s", async (approved, state, text) => {
    const agent = await scene.newAgent();
    const chat = scene.open(sdk, agent, {
      id: chatId(`approval-${approved}`),
      sendAutomaticallyWhen: sdk.lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage(say('CALL add_carefully {"a":20,"b":3}'));
    const asked = lastParts(chat).find(({ type }) => type === "dynamic-tool")!;
    expect(asked).toMatchObject({ state: "approval-requested", input: { a: 20, b: 3 } });
    const { id } = asked["approval"] as { readonly id: string };
    const replyId = chat.lastMessage!.id;
    await chat.addToolApprovalResponse({ id, approved, ...(approved ? {} : { reason: "not today" }) });
    await Promise.resolve();
    await settled(chat);
    expect(chat.error).toBeUndefined();
    expect(chat.messages).toHaveLength(2);
    expect(chat.lastMessage!.id).toBe(replyId);
    const parts = lastParts(chat);
    expect(parts.filter(({ type }) => type === "dynamic-tool")).toEqual([expect.objectContaining({ state })]);
    expect(textOf(chat.lastMessage)).toMatch(text);
    // A page that is loaded again shows the same calls and texts.
    const loaded = await load(agent, chat.id);
    const reply = loaded.at(-1)!;
    expect(reply.id).toBe(replyId);
    expect(kindsOf(reply.parts)).toEqual(kindsOf(parts));
    expect(reply.parts.find(({ type }) => type === "dynamic-tool")).toMatchObject({ state });
    expect(textOf(reply)).toBe(textOf(chat.lastMessage));
    await expect(sdk.validateUIMessages({ messages: loaded })).resolves.toHaveLength(2);
  });

  test("runs its own tools, and the results continue the answer", async () => {
    const agent = await scene.newAgent();
    const parameters = { type: "object", properties: { zone: { type: "string" } } };
    const chat = scene.open(sdk, agent, {
      id: chatId("own-tools"),
      body: { tools: { read_clock: { description: "Reads it.", parameters } } },
      sendAutomaticallyWhen: sdk.lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => {
        if (toolCall.dynamic === true) return;
        const { toolCallId, toolName: tool } = toolCall;
        void chat.addToolOutput({ tool, toolCallId, output: { time: "noon" } as never });
      },
    });
    await chat.sendMessage(say('CALL read_clock {"zone":"UTC"}'));
    await settled(chat);
    expect(chat.error).toBeUndefined();
    const parts = lastParts(chat);
    expect(kindsOf(parts)).toEqual(["step-start", "tool-read_clock", "step-start", "text"]);
    expect(parts[1]).toMatchObject({ state: "output-available", output: { time: "noon" } });
    expect(textOf(chat.lastMessage)).toBe('Done: {"time":"noon"}');
  });

  test("regenerates, and sends an edited message in the place of the first one", async () => {
    const agent = await scene.newAgent();
    const id = crypto.randomUUID();
    const chat = scene.open(sdk, agent, { id });
    await chat.sendMessage(say("SAY first"));
    await chat.sendMessage(say("COUNT"));
    await chat.regenerate();
    expect(textOf(chat.lastMessage)).toBe("user=2 ");
    expect(chat.messages).toHaveLength(4);
    const messageId = chat.messages[0]!.id;
    for (const text of ["COUNT edited", "SAY last", "COUNT edited"]) await chat.sendMessage({ text, messageId });
    expect(textOf(chat.lastMessage)).toBe("user=1 ");
    const { messages } = await scene.runtime.conversations.messages(id);
    expect(messages.map(({ text }) => text)).toEqual(["COUNT edited", "user=1 "]);
    expect(await scene.runtime.conversations.branches(id)).toHaveLength(5);
    const loaded = await load(agent, id);
    expect(loaded.map((message) => message.id)).toEqual(chat.messages.map((message) => message.id));
  });

  test("goes on while the page is away, and a page that is opened again reads the whole answer", async () => {
    const agent = await scene.newAgent();
    const id = chatId("away");
    const chat = scene.open(sdk, agent, { id });
    const sending = chat.sendMessage(say('HELD 12 CALL core_memory_append {"name":"human","content":"Sails."}'));
    await until(() => textOf(chat.lastMessage).includes("w1 "));
    await chat.stop();
    await sending;
    const loaded = await load(agent, id);
    expect(loaded.map(({ role }) => role)).toEqual(["user"]);
    const again = scene.open(sdk, agent, { id, messages: loaded });
    const resumed = again.resumeStream();
    letGoOn();
    await resumed;
    expect(textOf(again.lastMessage)).toBe(Array.from({ length: 12 }, (_, word) => `w${word} `).join(""));
    expect(again.messages).toHaveLength(2);
    expect(kindsOf(lastParts(again))).toEqual(["step-start", "dynamic-tool", "data-memory-edit", "step-start", "text"]);
    expect((await scene.ask("GET", `${agent}/${id}/stream`)).status).toBe(204);
    await again.resumeStream();
    expect(again.status).toBe("ready");
  });

  test("shows an answer that ended between the loading of the page and its stream, once", async () => {
    const agent = await scene.newAgent();
    const id = crypto.randomUUID();
    const chat = scene.open(sdk, agent, { id });
    const sending = chat.sendMessage(say("HELD 12"));
    await until(() => textOf(chat.lastMessage).includes("w1 "));
    const loaded = await load(agent, id);
    expect(loaded.map(({ role }) => role)).toEqual(["user"]);
    letGoOn();
    await sending;
    const page = scene.open(sdk, agent, { id, messages: loaded });
    await page.resumeStream();
    expect(textOf(page.lastMessage)).toBe(textOf(chat.lastMessage));
    await page.resumeStream();
    expect(textOf(page.lastMessage)).toBe(textOf(chat.lastMessage));
    const again = scene.open(sdk, agent, { id, messages: await load(agent, id) });
    await again.resumeStream();
    expect(textOf(again.lastMessage)).toBe(textOf(chat.lastMessage));
  });

  test("can be stopped, and keeps what was streamed", async () => {
    const agent = await scene.newAgent();
    const id = chatId("stopped");
    const chat = scene.open(sdk, agent, { id });
    const sending = chat.sendMessage(say("SLOW 200"));
    await until(() => textOf(chat.lastMessage).includes("w3 "));
    expect(await (await scene.ask("POST", `${agent}/${id}/stop`)).json()).toEqual({ isStopped: true });
    await sending;
    expect(chat.lastMessage!.metadata).toMatchObject({ stopReason: "interrupted" });
    expect((await scene.ask("GET", `${agent}/${id}/stream`)).status).toBe(204);
  });

  test("gets the failure of a turn as an error, and sends the message again", async () => {
    const agent = await scene.newAgent();
    const chat = scene.open(sdk, agent, { id: chatId("failure") });
    await chat.sendMessage(say("FAIL"));
    expect(chat.status).toBe("error");
    expect(chat.error!.message).toBe("The model refused the request.");
    chat.clearError();
    await chat.regenerate();
    expect(chat.status).toBe("error");
    await chat.sendMessage(say("SAY better"));
    expect(chat.status).toBe("ready");
    expect(textOf(chat.lastMessage)).toBe("better");
  });

  test("gets a refusal with the code of the error", async () => {
    const chat = scene.open(sdk, "nobody", { id: chatId("nobody") });
    await chat.sendMessage(say("Hi"));
    expect(JSON.parse(chat.error!.message)).toMatchObject({ status: 404, code: "agent_not_found" });
  });

  test("accepts a file in the message", async () => {
    const agent = await scene.newAgent();
    const chat = scene.open(sdk, agent, { id: chatId("file") });
    const url = `data:text/plain;base64,${Buffer.from("Tide at noon.").toString("base64")}`;
    await chat.sendMessage({
      text: "SAY read",
      files: [{ type: "file", mediaType: "text/plain", filename: "tide.txt", url }],
    });
    expect(textOf(chat.lastMessage)).toBe("read");
    const [conversation] = await scene.runtime.conversations.list(agent);
    const { messages } = await scene.runtime.conversations.messages(conversation!.id);
    expect(messages[0]!.content).toContainEqual(expect.objectContaining({ type: "file", name: "tide.txt" }));
  });
});
