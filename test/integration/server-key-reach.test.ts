// Every route of every door, with every id of the user's other agents, by a key that is limited to one agent, with each scope: no
// answer has anything of the other agent, no row of it changes, and a key of scope `read` changes no row at all.
// `KEY_REACH=full`: every id in every place, instead of those that the names of fields suggest, also with a key whose scope is too
// small for the route.
import { apiDoor } from "../../src/surfaces/http/api/api-door.ts";
import { chatDoor } from "../../src/surfaces/http/chat/chat-door.ts";
import type { Door } from "../../src/surfaces/http/door.ts";
import { lettaDoor } from "../../src/surfaces/http/letta/letta-door.ts";
import { openAiDoor } from "../../src/surfaces/http/openai/openai-door.ts";
import { allows, type Route, type Scope, scopes } from "../../src/surfaces/http/route.ts";
import { type Ask, createTestApp } from "../support/api-app.ts";
import { secret } from "../support/isolation-scene.ts";
import { openKeyScene, type OwnAgent } from "../support/key-scene.ts";
import { requestsTo, type RouteRequest } from "../support/route-requests.ts";
import { useScene } from "../support/use-scene.ts";

/** Milliseconds for a route, of which each needs some hundred. */
const maxMs = 120_000;
const isFull = process.env["KEY_REACH"] === "full";
const doors: readonly Door[] = [apiDoor, chatDoor, openAiDoor, lettaDoor];

const scene = useScene(() => openKeyScene());
let ask: Ask;
/** The agent that the last route left unchanged, with all rows; null after a route that changed one. */
let unchanged: { readonly own: OwnAgent; readonly rows: readonly string[] } | null = null;

beforeAll(async () => {
  ask = createTestApp(scene.host, doors);
}, maxMs);

const say = { role: "user", content: "SAY hi" };
const part = { type: "text", text: "SAY hi" };

const clientTool = { name: "ring", description: "Rings.", parameters: { type: "object", properties: {} } };

/** What a valid request has that its schema does not say. */
const samples: Readonly<Record<string, object>> = {
  "post /api/agents/:agent/schedules": { cron: "0 9 * * *" },
  "post /api/agents/:agent/conversations/import": {
    messages: [{ role: "user", text: "Hi", at: "2026-01-02T03:04:05Z" }],
  },
  "patch /api/agents/:agent/conversations/:conversation": { title: "Boats" },
  "post /api/agents/:agent/conversations/:conversation/results": {
    results: [{ callId: "call-1", status: "ok", text: "Done." }],
  },
  "post /api/agents/:agent/imports": { form: "mem0" },
  "patch /api/agents/:agent/modules/:label": { append: "SAY hi" },
  "put /api/agents/:agent/memory-files": { text: "Boats float.", version: null },
  "put /api/agents/:agent/skills/:name": { text: "---\nname: x\ndescription: Before a sail.\n---\nSAY hi" },
  "post /api/chat/:agent": { messages: [{ id: "1", role: "user", parts: [part] }] },
  "post /openai/v1/chat/completions": { messages: [say] },
  "post /v1/tools": { json_schema: clientTool },
  "put /v1/tools": { json_schema: clientTool },
  "patch /v1/agents/:agent/tools/approval/:tool_name": { requires_approval: true },
  "post /v1/mcp-servers": { config: { server_url: "https://tickets.example.com/mcp" } },
  "post /v1/agents/:agent/messages": { messages: [say] },
  "post /v1/agents/:agent/messages/stream": { messages: [say] },
  "post /v1/agents/:agent/messages/async": { messages: [say] },
  "post /v1/conversations/:conversation/messages": { messages: [say] },
  "post /v1/groups/:group/messages": { messages: [say] },
  "post /v1/groups/:group/messages/stream": { messages: [say] },
  "post /v1/messages/search": { query: "boats" },
};

/** Routes that answer 400 for another reason: no run is under way, and the host has no embedder. */
const refused = ["post /v1/conversations/:conversation/stream", "post /api/embeddings/reembed"];

/** GETs first, so that most routes leave the agent to the next one. */
const everyRoute = doors
  .flatMap((door) => door.routes.map((route) => [`${route.method} ${door.path}${route.path}`, door, route] as const))
  .toSorted(([, , one], [, , other]) => Number(other.method === "get") - Number(one.method === "get"));

/** The columns that hold ids, in a row of a dump. */
function namesOther(row: string): boolean {
  const columns = JSON.parse(row.slice(row.indexOf(" ") + 1)) as Readonly<Record<string, unknown>>;
  const ids: readonly unknown[] = Object.values(scene.other);
  return Object.entries(columns).some(([name, value]) => /^(?:id|.+_id)$/u.test(name) && ids.includes(value));
}

async function send(route: Route, key: string, { path, body, isForm }: RouteRequest) {
  const method = route.method.toUpperCase();
  if (body === undefined) return ask(method, path, { key });
  if (!isForm) return ask(method, path, { key, body });
  const form = new FormData();
  for (const [name, value] of Object.entries(body as object))
    form.append(name, name === "file" ? new File(['[{"memory":"Boats."}]'], "a.json") : String(value));
  return ask(method, path, { key, body: form });
}

interface Asked {
  readonly name: string;
  readonly route: Route;
  readonly scope: Scope;
  readonly key: string;
  readonly request: RouteRequest;
}

async function expectNothingTold({ name, route, scope, key, request }: Asked): Promise<void> {
  const { status, text } = await send(route, key, request);
  const { place, path } = request;
  expect({ scope, place, path, status, isTold: text.includes(secret) }).toMatchObject({ isTold: false });
  if (place === "" && scope === "admin" && [400, 422].includes(status) && !refused.includes(name))
    throw new Error(`${name}: no valid request: ${text}`);
}

test.each(everyRoute)(
  "%s gives a limited key nothing of another agent",
  async (name, door, route) => {
    const own = unchanged?.own ?? (await scene.newOwn());
    const requests = requestsTo({ door, route, own: own.ids, other: scene.other, isFull, sample: samples[name] });
    const before = unchanged?.rows ?? (await scene.dump());
    unchanged = null;
    for (const scope of scopes) {
      // A key whose scope is too small is refused before the ids of a request are read: those of the path are enough.
      const asked =
        isFull || allows(scope, route.scope) ? requests : requests.filter(({ place }) => ["", "path"].includes(place));
      for (const request of asked) await expectNothingTold({ name, route, scope, key: own.keys[scope], request });
      if (scope === "read") expect(await scene.dump()).toEqual(before);
    }
    const after = await scene.dump();
    expect(after).toEqual(expect.arrayContaining([...scene.rows]));
    expect(after.filter(namesOther)).toEqual(scene.rows.filter(namesOther));
    if (after.join() === before.join()) unchanged = { own, rows: after };
    else await own.delete();
  },
  maxMs,
);
