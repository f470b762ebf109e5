// The routes of `/api` that no contract has: each answers a valid request in its documented shape, and one with another user's ids
// like one with ids that do not exist, and changes nothing. Those of the contracts are in the table of operations.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rowsOf } from "../support/isolation-scene.ts";
import { apiDoor } from "../../src/surfaces/http/api/api-door.ts";
import { openParity, type Person, type Talk } from "./parity-scene.ts";
import { operations } from "./rows/operation-rows.ts";
import type { LooseClient } from "./surfaces.ts";
import { useScene } from "../support/use-scene.ts";

const parity = useScene(() => openParity());
let ada: Person;
let talk: Talk;
let params: Readonly<Record<string, string>>;

beforeAll(async () => {
  ada = parity.person("ada");
  talk = await ada.talk();
  await ada.runtime.tools.attach(talk.agent, await ada.tool());
  const { agent, conversation, turn } = talk;
  params = { agent, conversation, turn, tool: "ring", source: await ada.source() };
});

interface Sent {
  readonly query?: object;
  readonly body?: object;
}

const pinned = fileURLToPath(new URL("../pins/golden/routes.txt", import.meta.url));
const file = (text: string, name: string) => new File([text], name);
const agents = "/agents/:agent";
const place = `${agents}/conversations/:conversation`;

/** A valid request, and a part of its answer. */
const routes: Readonly<Record<string, readonly [sent: Sent, expected: unknown]>> = {
  "PATCH /agents/:agent/settings": [{ body: { maxSteps: 7 } }, { settings: { maxSteps: 7, keepLast: 10 } }],
  "PUT /agents/:agent/tools/:tool": [{ body: { requiresApproval: true } }, { isChanged: true }],
  "GET /agents/:agent/tools": [{}, { stored: [{ name: "ring", agentRequiresApproval: true }] }],
  [`POST ${agents}/imports`]: [
    { body: { file: file('[{"id":"1","memory":"Sails on Sundays"}]', "memories.json"), form: "mem0" } },
    { found: { passages: 1 }, added: { passages: 1 } },
  ],
  [`GET ${agents}/context`]: [
    { query: { query: "Sundays", maxTokens: 500 } },
    { found: [{ text: "Sails on Sundays" }] },
  ],
  [`GET ${place}/waiting`]: [{}, { approvals: [], results: [] }],
  [`POST ${place}/turns`]: [
    {
      body: {
        messages: [
          {
            text: "SAY Aye.",
            files: [{ url: `data:text/plain;base64,${btoa("Low water at 9.")}`, name: "tides.txt" }],
          },
        ],
      },
    },
    { turnId: expect.any(String) },
  ],
  [`POST ${place}/turns/events`]: [
    { body: { messages: [{ text: "SAY Aye aye." }] } },
    expect.stringMatching(/^turn-start .*text-delta.* turn-end$/u),
  ],
  [`GET ${place}/turns/:turn/events`]: [{ query: { after: 0 } }, expect.stringContaining("turn-end")],
  "GET /prices": [
    { query: { model: ["openai/gpt-unknown", "demo"] } },
    [{ model: "openai/gpt-unknown", price: null }, { model: "demo" }],
  ],
  "GET /usage": [{}, { agents: 1, conversations: 1 }],
  "POST /sources/:source/files": [
    { body: { file: file("Ahab is its captain.", "ahab.txt") } },
    { added: 1, source: { name: "books", files: 2 } },
  ],
};

async function ask(userId: string, route: string, sent: Sent, given = params): Promise<unknown> {
  const client = parity.client(userId) as unknown as LooseClient;
  const request = { params: given, ...sent };
  if (!route.endsWith("/events")) return client.call(route, request);
  const types = [];
  for await (const event of client.events(route, request)) types.push((event as { readonly type: string }).type);
  return types.join(" ");
}

test("every route is one of a contract, or is here", () => {
  const derived = operations.flatMap(({ operation: { http } }) => (typeof http === "string" ? [] : [http.route]));
  const all = apiDoor.routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect([...derived, ...Object.keys(routes)].toSorted()).toEqual(all.toSorted());
});

test("the routes of the contracts, the scope of their keys and the status of a success", () => {
  const lines = operations.flatMap(({ call, operation: { http } }) => {
    if (typeof http === "string") return [];
    const status = http.output === null ? 204 : (http.status ?? 200);
    return [`${call}: ${http.route}, ${http.scope}, ${status}\n`];
  });
  if (process.env["GOLDEN"] === "write") writeFileSync(pinned, lines.join(""));
  else expect(lines.join("")).toBe(readFileSync(pinned, "utf8"));
});

test.each(Object.entries(routes))("%s answers", async (route, [sent, expected]) => {
  const answer = await ask("ada", route, sent);
  expect({ answer }).toMatchObject({ answer: expected });
});

const named = Object.entries(routes).filter(([route]) => route.includes(":"));

test.each(named)("%s is not found with ids of another user, and changes nothing", async (route, [sent]) => {
  const agent = await ada.runtime.agents.find(talk.agent);
  const tool = await ada.runtime.tools.find("ring");
  const source = await ada.runtime.sources.show("books");
  const before = await rowsOf({ test: parity.test }, "ada", "ben");
  const foreign = { ...params, agent: agent.id, tool: tool.id, source: source.id };
  const code = expect.stringMatching(/^(?:agent|conversation|source)_not_found$/u) as string;
  await expect(ask("ben", route, sent, foreign)).rejects.toMatchObject({ status: 404, code });
  expect(await rowsOf({ test: parity.test }, "ada", "ben")).toEqual(before);
});
