// `palimpsest serve`, killed while it answers: the next process answers what was left, and nobody reads it meanwhile.
import { readFileSync } from "node:fs";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { createHeldModelServer, type HeldModelServer } from "../support/held-model-server.ts";
import { ended, printed, type StartedProgram, startProgram } from "../support/started-program.ts";
import { useFolder } from "../support/folders.ts";

const folder = useFolder();
let database: TestDatabase;
let model: HeldModelServer;

beforeAll(async () => {
  database = await createTestDatabase({ isOwn: true });
  model = await createHeldModelServer();
});
afterAll(async () => {
  await model.close();
  await database.remove();
});

interface Started {
  readonly served: StartedProgram;
  ask(method: string, at: string, body?: object): Promise<{ readonly status: number; readonly json: never }>;
}

async function start(): Promise<Started> {
  const { connection } = database;
  const place = connection.kind === "server" ? ["--database-url", connection.url] : ["--data-dir", connection.folder];
  const served = startProgram("serve", ["--port", "0", "--base-url", model.url, ...place], {
    home: folder,
    env: { PALIMPSEST_SERVER_KEY: "" },
  });
  const url = await printed(served, /Serving (\S+)/u);
  const file = await printed(served, /(?:in|to) (\S+server-key)/u);
  const key = readFileSync(file.replace("~", folder), "utf8").trim();
  return {
    served,
    async ask(method, at, body) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${url}/api${at}`, { method, headers: { authorization: `Bearer ${key}` }, ...sent });
      return { status: response.status, json: (await response.json()) as never };
    },
  };
}

interface Turn {
  readonly state: string;
  readonly stopReason: string | null;
}

test("the turn that ran and the one that waited are answered by the next process, each as it was asked", async () => {
  const first = await start();
  expect((await first.ask("POST", "/agents", { name: "main", model: "openai/held" })).status).toBe(201);
  const { json: conversation } = await first.ask("POST", "/agents/main/conversations", {});
  const place = `/agents/main/conversations/${(conversation as { readonly id: string }).id}`;
  const send = async (body: object) => {
    const { status, json } = await first.ask("POST", `${place}/turns`, body);
    expect(status).toBe(202);
    return (json as { readonly turnId: string }).turnId;
  };
  const running = await send({ messages: [{ text: "Hello" }] });
  await model.asked();
  const waiting = await send({ messages: [{ text: "And then?" }], model: "demo", maxSteps: 3 });
  first.served.child.kill("SIGKILL");
  await ended(first.served);

  const second = await start();
  const find = async (id: string) => (await second.ask("GET", `/turns/${id}`)).json as Turn;
  while ((await find(running)).stopReason === null || (await find(waiting)).stopReason === null) {
    model.finish();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect([await find(running), await find(waiting)]).toMatchObject([{ state: "completed" }, { state: "completed" }]);
  const { json } = await second.ask("GET", `${place}/messages`);
  const { messages } = json as { readonly messages: readonly { readonly role: string; readonly text: string }[] };
  expect(messages.map(({ role, text }) => [role, text])).toEqual([
    ["user", "Hello"],
    ["assistant", "Well, then."],
    ["user", "And then?"],
    ["assistant", expect.any(String)],
  ]);
  const { json: steps } = await second.ask("GET", `/turns/${waiting}/steps`);
  expect(steps as readonly object[]).toMatchObject([{ model: "demo" }]);
  second.served.child.kill("SIGTERM");
  expect(await ended(second.served)).toBe(0);
}, 120_000);
