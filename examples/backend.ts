// A chat backend for many users: one host, replies as server-sent events, approvals, and a shutdown that loses nothing.
import { strict as assert } from "node:assert";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Agent, createHost, RuntimeError } from "palimpsest";

const host = await createHost({ dataDir: "data", model: "demo" });

/** Agents stay open between requests: an open agent has its window in memory. */
const agents = new Map<string, Promise<Agent>>();

function agentOf(userId: string): Promise<Agent> {
  const known = agents.get(userId);
  if (known !== undefined) return known;
  const opening = host.forUser(userId).agents.open("assistant", { create: {} });
  opening.catch(() => agents.delete(userId));
  agents.set(userId, opening);
  return opening;
}

interface Body {
  readonly text: string;
  readonly approve?: string;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A real service takes the user from a session or a token, never from what the client says.
  const agent = await agentOf(String(request.headers["x-user"]));
  const body = JSON.parse(await text(request)) as Body;
  const reader = new AbortController();
  response.on("close", () => reader.abort());
  const options = { signal: reader.signal };
  const turn = body.approve === undefined ? agent.send(body.text, options) : agent.approve(body.approve, options);
  for await (const event of turn) {
    // Before the first event, an error can still be answered with a status.
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`id: ${event.sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    const code = error instanceof RuntimeError ? error.code : "internal";
    if (!response.headersSent) response.writeHead(code === "input_invalid" ? 400 : 503);
    response.end(JSON.stringify({ code }));
  });
});

async function shutDown(): Promise<void> {
  server.close();
  // Running turns have five seconds; then they are interrupted, and what the model has said is stored.
  await host.close({ graceMs: 5000 });
}
process.once("SIGTERM", () => void shutDown());

// As two clients would use it.
server.listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function say(user: string, message: string): Promise<string> {
  const body = JSON.stringify({ text: message });
  const reply = await fetch(url, { method: "POST", headers: { "x-user": user, connection: "close" }, body });
  return reply.text();
}

const [ada] = await Promise.all([say("ada", "My name is Ada."), say("ben", "My name is Ben.")]);
assert.match(ada, /event: turn-end/);
assert.match(await say("ada", "What is my name?"), /Ada/);
assert.match(await say("ben", "  "), /input_invalid/);
process.stdout.write("Two users, one host.\n");
await shutDown();
