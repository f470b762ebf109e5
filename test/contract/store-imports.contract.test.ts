// Imported conversations of more messages than are stored at once. On the engine at hand.
import type { StoredMessage } from "../../src/store/port/records.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { openTestStore } from "../support/database.ts";
import { chain, ids, newAgent } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const test = useScene(() => openTestStore());
let ada: UserStore;
let agentId: string;

beforeAll(async () => {
  ada = test.store.as("ada");
  ({ id: agentId } = await ada.agents.create(newAgent()));
});

const messagesOf = (count: number): StoredMessage[] =>
  chain(
    null,
    Array.from({ length: count }, (_, index) => ({ text: `line ${index}`, at: new Date(1_700_000_000_000 + index) })),
  );

it.each([1, 500, 501, 1201])("a conversation of %i messages is stored in its order", async (count) => {
  const messages = messagesOf(count);
  const id = ids.next();
  const record = await ada.conversations.import({ id, agentId, title: "old", messages });
  const [first, last] = [messages[0]!, messages.at(-1)!];
  expect(record).toEqual({ id, agentId, title: "old", leafId: last.id, createdAt: first.at, updatedAt: last.at });
  expect(await ada.conversations.find(id)).toEqual(record);
  expect((await ada.conversations.thread(id)).messages).toEqual(messages);
  const listed = (await ada.conversations.list(agentId, { order: "newest", limit: 100 })).find(
    (conversation) => conversation.id === id,
  );
  expect(listed?.messages).toBe(count);
});

it.each([
  ["has a gap between two batches", (messages: StoredMessage[]) => messages.toSpliced(500, 1)],
  ["has a message twice", (messages: StoredMessage[]) => [...messages, messages.at(-1)!]],
  ["has no messages", () => []],
])("nothing is stored of a conversation that %s", async (_, broken) => {
  const id = ids.next();
  const messages = broken(messagesOf(1000));
  await expect(ada.conversations.import({ id, agentId, title: null, messages })).rejects.toMatchObject({
    code: "input_invalid",
  });
  expect(await ada.conversations.find(id)).toBeNull();
});
