// A chat backend for many users: one host, replies as server-sent events, approvals, and a shutdown that loses nothing.
import { strict as assert } from "node:assert";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Agent, type AgentEvent, createHost, RuntimeError } from "palimpsest";

const host = await createHost({ dataDir: "data", model: "demo" });

/** Agents stay open between requests: an open agent has its window in memory. */
const agents = new Map<string, Promise<Agent>>();

function agentOf(userId: string): Promise<Agent> {
  const known = agents.get(userId);
  if (known !== undefined) return known;
  const opening = host.forUser(userId).agents.open("assistant", { create: { human: "" } });
  opening.catch(() => agents.delete(userId));
  agents.set(userId, opening);
  return opening;
}

type Body = { readonly text: string; readonly key: string } | { readonly approve: string } | { readonly turn: string };

/** Sends a message, approves a call, or reads a turn from the event after the last one that the client got. */
function turnOf(agent: Agent, body: Body, after: number): AsyncIterable<AgentEvent> {
  if ("turn" in body) return agent.events(body.turn, { after });
  // A client that leaves stops nothing: the turn goes on, and a repeated key joins it.
  return "approve" in body ? agent.approve(body.approve) : agent.send(body.text, { idempotencyKey: body.key });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A real service takes the user from a session or a token, never from what the client says.
  const agent = await agentOf(String(request.headers["x-user"]));
  const body = JSON.parse(await text(request)) as Body;
  for await (const event of turnOf(agent, body, Number(request.headers["last-event-id"] ?? 0))) {
    if (response.destroyed) return;
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

async function post(user: string, body: Body, headers = {}): Promise<string> {
  const sent = {
    method: "POST",
    headers: { "x-user": user, connection: "close", ...headers },
    body: JSON.stringify(body),
  };
  return (await fetch(url, sent)).text();
}

const [ada] = await Promise.all(["ada", "ben"].map((name) => post(name, { text: `My name is ${name}.`, key: "1" })));
assert.equal(await post("ada", { text: "My name is ada.", key: "1" }), ada);
const turn = /"turnId":"([^"]+)/.exec(ada!)![1]!;
assert.equal(await post("ada", { turn }, { "last-event-id": "1" }), ada!.slice(ada!.indexOf("id: 2\n")));
assert.match(await post("ben", { text: "  ", key: "2" }), /input_invalid/);
process.stdout.write("Two users, one host.\n");
await shutDown();
