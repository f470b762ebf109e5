// Generated requests to every route of the server: no failure of the server, no answer that the document does not have, no hang.
// The suite runs the short form; `npm run test:fuzz` the long one (FUZZ_TRIALS, from FUZZ_SEED).
import fc from "fast-check";
import { createHost } from "../../src/runtime/compose/compose.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";
import type { Host } from "../../src/runtime/host.ts";
import { apiDoor } from "../../src/surfaces/http/api/api-door.ts";
import { lettaDoor } from "../../src/surfaces/http/letta/letta-door.ts";
import { openAiDoor } from "../../src/surfaces/http/openai/openai-door.ts";
import { type Ask, createTestApp } from "../support/api-app.ts";
import { createTestDatabase, placeOf, type TestDatabase } from "../support/database.ts";
import { type GeneratedRequest, type KnownIds, requestsTo } from "../support/generated-requests.ts";

const trials = Number(process.env["FUZZ_TRIALS"] || 150);
const seed = Number(process.env["FUZZ_SEED"] || 3);
const batch = 100;
const longestRunMs = 60 * 60_000;
/** A request that takes longer hangs. */
const longestAnswerMs = 15_000;

const model: Model = {
  name: "demo-like",
  contextWindow: 100_000,
  async *stream() {
    yield { type: "text-delta", text: "Fine." };
    yield { type: "end", stopReason: "end", usage: noUsage };
  },
};

let database: TestDatabase;
let host: Host;
let ask: Ask;

beforeAll(async () => {
  database = await createTestDatabase();
  const place = placeOf(database);
  host = await createHost({ ...place, model: model.name, models: [model], embedder: null, timeZone: "UTC" });
  ask = createTestApp(host, [apiDoor, lettaDoor, openAiDoor]);
});
afterAll(async () => {
  await host.close({ graceMs: 0 });
  await database.remove();
});

/** Stores something of each kind for a user. */
async function fill(userId: string): Promise<KnownIds> {
  const user = host.forUser(userId);
  const { id: agent } = await user.agents.create({ name: "main", human: "Name: Ada" });
  const opened = await user.agents.open("main");
  const { turnId: turn } = await opened.send("Hi");
  const { messages } = await user.conversations.messages(opened.conversationId);
  const { id: module } = await user.modules.create({ label: "project" });
  const { id: source } = await user.sources.create("books");
  const { id: passage } = await user.archival.add("main", "The boat is blue.");
  const parameters = { type: "object", properties: {} };
  const { id: tool } = await user.tools.create({ name: "ring", description: "Rings.", parameters });
  const { id: schedule } = await user.schedules.create("main", { text: "Hello", cron: "0 9 * * *" });
  const message = messages[1]?.id ?? "";
  return {
    agent,
    turn,
    run: turn,
    message,
    step: message,
    module,
    block: module,
    source,
    folder: source,
    archive: source,
    passage,
    tool,
    schedule,
    conversation: opened.conversationId,
    label: "human",
    name: "main",
    revision: "1",
    call: "call-1",
    user: "ben",
    file: "moby.txt",
  };
}

test(
  "every route answers generated requests without a failure of the server",
  async () => {
    const routes = [apiDoor, lettaDoor, openAiDoor].flatMap((door) => door.routes.map((route) => ({ door, route })));
    const statuses = new Map<number, number>();
    // A user for each batch: what the requests delete is there again for the next ones.
    for (let done = 0; done < trials; done += batch) {
      const userId = `user-${done}`;
      const known = await fill(userId);
      const { secret: key } = await host.keys.create(userId, { scope: "admin" });
      const requests = fc.constantFrom(...routes).chain(({ door, route }) => requestsTo(door, route, known));
      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          const { status } = await answered(request, key);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }),
        { numRuns: Math.min(batch, trials - done), seed: seed + done, endOnFailure: true },
      );
    }
    process.stdout.write(`${trials} requests, by status: ${JSON.stringify(Object.fromEntries(statuses))}\n`);
    // Of requests that are all refused, nothing would be learned.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(trials / 20);
  },
  longestRunMs,
);

async function answered(
  { method, path, headers, body }: GeneratedRequest,
  key: string,
): Promise<{ readonly status: number }> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("No answer.")), longestAnswerMs);
  });
  try {
    const sent = typeof body === "string" ? { rawBody: body } : { body };
    return await Promise.race([ask(method, path, { key, headers, ...sent }), hang]);
  } finally {
    clearTimeout(timer);
  }
}
