// Runtimes of new users on one database, with node memories in any of the places, and turns to keep in them.
import { textOf } from "../../src/base/message/message.ts";
import type { AddedExchange, NodeMemory } from "../../src/memory/node/node-memory.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createManualClock } from "./manual-clock.ts";
import { type NodePlaces, openNodePlaces } from "./node-places.ts";
import { createTestRuntimes } from "./runtime.ts";

/** When the clock of each runtime begins. */
export const nodeStart = Date.UTC(2026, 0, 7, 10);

/** What both S3 services take. */
export const s3Keys = { s3AccessKeyId: "id", s3SecretAccessKey: "secret" };

interface OpenedNodes {
  readonly clock: ReturnType<typeof createManualClock>;
  readonly userId: string;
  readonly runtime: Runtime;
}

export interface NodeScene {
  readonly places: NodePlaces;
  /** A runtime of a new user, or of the one that is named. `objects`: a place, or the setting itself. */
  open(objects: string, userId?: string): Promise<OpenedNodes>;
  close(): Promise<void>;
}

export async function openNodeScene(): Promise<NodeScene> {
  const runtimes = await createTestRuntimes();
  const places = await openNodePlaces();
  let users = 0;
  return {
    places,
    async open(objects, userId = `user-${(users += 1)}`) {
      const clock = createManualClock(nodeStart);
      const setting = objects === "folder" || objects === "s3" ? places[objects].setting : objects;
      return { clock, userId, runtime: await runtimes.open({ objects: setting, userId, clock, ...s3Keys }) };
    },
    async close() {
      await runtimes.close();
      await places.close();
    },
  };
}

export const nodeExchange = (
  messageId: string,
  parentMessageId: string | null,
  more: Partial<AddedExchange> = {},
): AddedExchange => ({
  messageId,
  parentMessageId,
  userContent: `ask ${messageId}`,
  assistantContent: `answer ${messageId}`,
  ...more,
});

export async function keep(memory: NodeMemory, ...turns: readonly AddedExchange[]): Promise<void> {
  for (const one of turns) memory.addMessages(one);
  await memory.flush();
}

/** The history of a message, by its words. */
export const textsOf = async (
  memory: NodeMemory,
  current = "next",
  maxTokens = 1_000_000,
): Promise<readonly string[]> => (await memory.getHistoryPromptMessages(current, { maxTokens })).map(textOf);
