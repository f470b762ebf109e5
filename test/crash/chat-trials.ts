// Trials of pages that chat through the server: its process is killed while a turn streams, and the page is opened again. It must
// read the whole answer, each text once, and the turn must end as if nothing had happened.
import { randomUUID } from "node:crypto";
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai-6";
import { createServer, type RunningServer } from "./server-trials.ts";
import type { Findings, Place } from "./start-child.ts";
import { firstText, lastText, turnMs } from "./streaming-agent.ts";

export async function runChatTrials(trials: number, place: Place): Promise<Findings> {
  const histogram = new Map<string, number>();
  const violations: string[] = [];
  const server = createServer(place);
  try {
    for (let number = 0; number < trials; number += 1) {
      const found = await runOnce(server).catch((error: unknown) => ({ place: "failed", violations: [String(error)] }));
      violations.push(...found.violations.map((violation) => `chat, trial ${number}: ${violation}`));
      histogram.set(`chat: ${found.place}`, (histogram.get(`chat: ${found.place}`) ?? 0) + 1);
    }
  } finally {
    await server.stop();
  }
  return { histogram, violations };
}

async function runOnce(
  server: RunningServer,
): Promise<{ readonly place: string; readonly violations: readonly string[] }> {
  const agent = `agent-${randomUUID()}`;
  await server.send("/api/agents", { name: agent, persona: "", human: "" });
  const path = `/api/chat/${agent}`;
  const parts = [{ type: "text", text: "Count slowly." }];
  const body = { id: "page", messages: [{ id: randomUUID(), role: "user", parts }], trigger: "submit-message" };
  let kills = 0;
  const timer = setTimeout(() => {
    kills += 1;
    server.kill();
  }, Math.random() * turnMs);
  let read = await readAnswer(() => server.send(path, body));
  let opened = 0;
  for (; read?.isComplete !== true && opened < 20; opened += 1) {
    // A page whose message was not stored sends it again.
    const isStored = (await messagesOf(server, path)).length > 0;
    read = await readAnswer(() =>
      isStored ? server.send(`${path}/page/stream`, undefined, "GET") : server.send(path, body),
    );
    if (isStored && read === null) break;
  }
  clearTimeout(timer);
  const messages = await messagesOf(server, path);
  const modules = (await (await server.send(`/api/agents/${agent}/modules`, undefined, "GET")).json()) as Modules;
  const value = modules.find(({ label }) => label === "human")?.value;
  const found: readonly (readonly [string, boolean])[] = [
    [
      `the answer that was read is not the whole one, after ${opened} openings: ${JSON.stringify(read)}`,
      read === null || read.text === `${firstText}${lastText}`,
    ],
    ["the stored messages are others", messages.map(({ role }) => role).join() === "user,assistant"],
    ["the stored answer is not the whole one", textOf(messages[1]) === `${firstText}${lastText}`],
    [`memory was edited ${value} times`, value === "1"],
  ];
  return {
    place: `${kills} kills, ${opened === 0 ? "read at once" : "opened again"}`,
    violations: found.flatMap(([violation, isRight]) => (isRight ? [] : [violation])),
  };
}

type Modules = readonly { readonly label: string; readonly value: string }[];

async function messagesOf(server: RunningServer, path: string): Promise<readonly UIMessage[]> {
  try {
    return (await (await server.send(`${path}/page/messages`, undefined, "GET")).json()) as readonly UIMessage[];
  } catch {
    // The process was killed meanwhile: the next one is asked.
    return messagesOf(server, path);
  }
}

interface Answer {
  readonly text: string;
  /** Whether the stream came to its end. */
  readonly isComplete: boolean;
}

/** Returns null if there is no answer to read. */
async function readAnswer(open: () => Promise<Response>): Promise<Answer | null> {
  let message: UIMessage | undefined;
  let isComplete = false;
  try {
    const response = await open();
    if (response.status === 204) return null;
    if (!response.ok) throw new Error(await response.text());
    const chunks = new ReadableStream<UIMessageChunk>({
      async start(controller) {
        for await (const chunk of chunksOf(response)) {
          isComplete ||= chunk.type === "finish";
          controller.enqueue(chunk);
        }
        controller.close();
      },
    });
    for await (const next of readUIMessageStream({ stream: chunks, terminateOnError: true })) message = next;
  } catch {
    // The connection broke: the page is opened again.
    isComplete = false;
  }
  return { text: textOf(message), isComplete };
}

async function* chunksOf(response: Response): AsyncGenerator<UIMessageChunk, void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks)
      if (block.startsWith("data: {")) yield JSON.parse(block.slice("data: ".length)) as UIMessageChunk;
  }
}

function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}
