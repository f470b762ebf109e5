// What the prompt of a workflow's node has of what was said: the conversation's memory and the node's own, by mode, used as a
// node uses them.
import { filesOf, type Message, textOf } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { lastOf, useRuntimes } from "../support/runtime.ts";
import { png } from "../support/sample-files.ts";
import { openScene } from "../support/scene.ts";

const runtimes = useRuntimes();

const texts = (messages: readonly Message[]) => messages.map(textOf);

describe("the memory of the conversation", () => {
  it("is [A, A'', C, C'] from C' on, after A' was regenerated as A'', and [A, A', B, B'] from B'", async () => {
    const scene = await openScene(runtimes, [{ text: "A'" }, { text: "B'" }, { text: "A''" }, { text: "C'" }]);
    const { agent, runtime } = scene;
    for (const text of ["A", "B"]) await lastOf(agent.send(text));
    const [, answer, , left] = agent.messages;
    await lastOf(agent.regenerate(answer!.id));
    await lastOf(agent.send("C"));
    const memory = runtime.nodeMemory.forMode({ mode: "conversation", conversation: agent.conversationId });
    const limits = { maxTokens: 2000, messageLimit: 100 };
    const from = async (id: string | undefined) => texts(await memory.getHistoryPromptMessages(id!, limits));
    expect(await from(agent.messages.at(-1)!.id)).toEqual(["A", "A''", "C", "C'"]);
    expect(await from(left!.id)).toEqual(["A", "A'", "B", "B'"]);
  });

  it("has the files of its messages, and counts their tokens", async () => {
    const { agent, runtime } = await openScene(runtimes, () => ({ text: "A grey picture." }));
    const files = [{ data: png(40, 30), name: "photo.png" }];
    await lastOf(agent.send("Look", { files }));
    await lastOf(agent.send("", { files }));
    const sent = agent.messages.flatMap(filesOf);
    const memory = runtime.nodeMemory.forMode({ conversation: agent.conversationId });
    if (memory.mode !== "conversation") throw new Error("Expected the memory of the conversation.");
    const history = await memory.getHistoryPromptMessages(null);
    expect(history.map(({ role, content }) => [role, content.length])).toEqual([
      ["user", 2],
      ["assistant", 1],
      ["user", 1],
      ["assistant", 1],
    ]);
    expect(history[0]).toEqual({ role: "user", content: [{ type: "text", text: "Look" }, sent[0]] });
    expect(filesOf(history[2]!)).toEqual([sent[1]]);
    const { messages } = await runtime.conversations.history({ conversation: agent.conversationId });
    expect(messages[0]!.text).toContain("[photo.png 40×30]");
    const tokens = messages.map((message) => message.tokens);
    // The question before the last answer is a picture alone: without it, that answer fits.
    const withoutPicture = await memory.getHistoryPromptMessages(null, { maxTokens: tokens[3]! + tokens[2]! - 1 });
    expect(texts(withoutPicture)).toEqual(["A grey picture."]);
    expect(tokens[2]!).toBeGreaterThan(4);
  });
});

describe("a node of a workflow", () => {
  interface Configuration {
    readonly node: string;
    /** Absent: the node has no memory. */
    readonly memory?: { readonly mode: "node" | "conversation" };
  }

  interface Asked {
    readonly messageId: string;
    readonly parentMessageId: string | null;
    readonly text: string;
  }

  /** One run of a node: its memory by mode, the history before the question, the model, and what was said kept. */
  async function runNode(
    runtime: Runtime,
    conversation: string,
    { node, memory: configured }: Configuration,
    asked: Asked,
  ) {
    const key = { app: "app", conversation, node };
    const memory = configured === undefined ? null : runtime.nodeMemory.forMode({ ...key, ...configured });
    const limits = { maxTokens: 2000 };
    const history = (await memory?.getHistoryPromptMessages(asked.messageId, limits)) ?? [];
    const prompt: readonly Message[] = [...history, { role: "user", content: [{ type: "text", text: asked.text }] }];
    const answer = `${node} saw ${prompt.length}`;
    if (memory?.mode === "node") {
      const { messageId, parentMessageId, text: userContent } = asked;
      memory.addMessages({ messageId, parentMessageId, userContent, assistantContent: answer });
      await memory.flush();
    }
    return texts(prompt);
  }

  it("sees only its own exchanges in the mode `node`, all visible messages in `conversation`, and nothing without a memory", async () => {
    const { agent, runtime } = await openScene(runtimes, [{ text: "Ahoy." }, { text: "Indeed." }]);
    const prompts: Record<string, readonly string[]> = {};
    let parentMessageId: string | null = null;
    for (const text of ["I sail", "Really"]) {
      await lastOf(agent.send(text));
      const { id: messageId } = agent.messages.at(-2)!;
      const run = (configuration: Configuration) =>
        runNode(runtime, agent.conversationId, configuration, { messageId, parentMessageId, text });
      // The second node of the workflow has a part in the last turn only.
      if (text === "Really") prompts["late"] = await run({ node: "late", memory: { mode: "node" } });
      prompts["own"] = await run({ node: "own", memory: { mode: "node" } });
      prompts["all"] = await run({ node: "all", memory: { mode: "conversation" } });
      prompts["none"] = await run({ node: "none" });
      parentMessageId = messageId;
    }
    expect(prompts).toEqual({
      own: ["I sail", "own saw 1", "Really"],
      late: ["Really"],
      all: ["I sail", "Ahoy.", "Really"],
      none: ["Really"],
    });
  });

  it("of another application in the same conversation has a separate memory", async () => {
    const { agent, runtime } = await openScene(runtimes, () => ({ text: "Ahoy." }));
    const key = { conversation: agent.conversationId, node: "own" };
    const [one, other] = ["app", "other-app"].map((app) => runtime.nodeMemory.open({ ...key, app }));
    one!.addMessages({ messageId: "m1", parentMessageId: null, userContent: "u", assistantContent: "a" });
    await one!.flush();
    expect(await other!.getHistoryPromptMessages("m2")).toEqual([]);
  });
});
