// A turn that waits for another agent, read through each interface of the server: the stream ends in order, and the turn goes on.
import OpenAI from "openai";
import { createSpeakers, lastText, speakers, write } from "../support/agent-messages-scene.ts";
import { sdks } from "../support/ai-sdks.ts";
import { openChatScene } from "../support/chat-scene.ts";
import { wireMessages } from "../support/letta-scene.ts";
import { until } from "../support/until.ts";
import { useScene } from "../support/use-scene.ts";

const { options } = speakers({
  ada: (request) => {
    const answer = /^ok: (.*)$/u.exec(lastText(request))?.[1];
    return answer === undefined ? write("bob", "What is new?", true) : { text: `Bob says: ${answer}` };
  },
  bob: () => ({ text: "Rain." }),
});
const scene = useScene(() => openChatScene({ ...options, model: "ada" }));

beforeAll(() => createSpeakers(scene.runtime, ["ada", "bob"]));

/** Waits until the newest conversation of `ada` ends with the answer, and returns what the agent has said in it. */
async function answered(): Promise<readonly string[]> {
  let said: readonly string[] = [];
  await until(async () => {
    const [newest] = await scene.runtime.conversations.list("ada", { order: "newest", limit: 1 });
    const { messages } = await scene.runtime.conversations.messages(newest!.id);
    said = messages.flatMap(({ role, text }) => (role === "assistant" && text !== "" ? [text] : []));
    return said.length > 0;
  });
  return said;
}

test("OpenAI: the stream ends with `stop` and its usage, and the answer is in the conversation", async () => {
  const client = new OpenAI({ baseURL: `${scene.url}/openai/v1`, apiKey: scene.key, maxRetries: 0 });
  const messages = [{ role: "user", content: "Ask Bob, please." } as const];
  const chunks = [];
  for await (const chunk of await client.chat.completions.create({ model: "ada", messages, stream: true }))
    chunks.push(chunk.choices[0]);
  expect(chunks.at(-1)).toMatchObject({ finish_reason: "stop" });
  expect(await answered()).toEqual(["Bob says: Rain."]);
});

test("Letta: the stream goes on to the answer, and a run in the background can be read again to its end", async () => {
  const { id } = await scene.runtime.agents.find("ada");
  const headers = { authorization: `Bearer ${scene.key}`, "content-type": "application/json" };
  const post = async (path: string, body: object) =>
    wireMessages(await fetch(`${scene.url}/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
  const sent = await post(`agents/agent-${id}/messages/stream`, { input: "Ask Bob.", background: true });
  const read = await post(
    `runs/${String(sent.find(({ run_id }) => typeof run_id === "string")?.["run_id"])}/stream`,
    {},
  );
  for (const messages of [sent, read]) {
    expect(messages.map(({ message_type }) => message_type).slice(-2)).toEqual(["stop_reason", "usage_statistics"]);
    expect(messages.at(-2)).toMatchObject({ stop_reason: "end_turn" });
    expect(JSON.stringify(messages)).toContain("Bob says: Rain.");
  }
  expect(await answered()).toContain("Bob says: Rain.");
});

test.each(sdks)(
  "the AI SDK %s: the chat is ready without an error, and the answer is in the conversation",
  async (_, sdk) => {
    const ends: unknown[] = [];
    const chat = scene.open(sdk, "ada", {
      onFinish: ({ finishReason, isError }) => void ends.push([finishReason, isError]),
    });
    await chat.sendMessage({ text: "Ask Bob now." });
    expect([chat.status, chat.error, ends]).toEqual(["ready", undefined, [["other", false]]]);
    expect(await answered()).toContain("Bob says: Rain.");
  },
);
