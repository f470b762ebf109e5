// Dates that users give, through the library, both HTTP interfaces, agent files and search filters: every time of the years
// 1 to 9999 comes back exactly, and every other one is refused with the range.
import { readPassageLine } from "../../src/surfaces/cli/parse/passage-line.ts";
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import { serveTestHost } from "../support/served-host.ts";
import { useScene } from "../support/use-scene.ts";

const served = useScene(() => serveTestHost({ model: "demo" }));
let runtime: UserRuntime;

beforeAll(async () => (runtime = served.host.forUser("ada")));
afterAll(async () => expect(served.failures).toEqual([]));

let agents = 0;
async function newAgent(): Promise<string> {
  agents += 1;
  return (await runtime.agents.create({ name: `agent-${agents}` })).id;
}

async function ask(method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${served.key}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${served.url}${path}`, { method, headers, ...sent });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) as unknown };
}

const accepted = [
  "0001-01-01T00:00:00.000Z",
  "0099-12-31T23:59:59.999Z",
  "1900-01-01T00:00:00.000Z",
  "1938-11-26T12:00:00.000Z",
  "2026-11-27T12:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
];
const refused = ["0000-12-31T23:59:59Z", "-000043-03-15T00:00:00Z", "+010000-01-01T00:00:00Z", "infinity", "yesterday"];
const range = "the years 1 to 9999";

test("the library stores every accepted time, and refuses others", async () => {
  const agent = await newAgent();
  for (const [index, time] of accepted.entries()) {
    await runtime.archival.add(agent, `harbour ${index}`, { at: new Date(time) });
  }
  const { hits } = await runtime.archival.search(agent, "harbour", { pageSize: 20 });
  expect(hits.map(({ at }) => at.toISOString()).toSorted()).toEqual(accepted);
  for (const time of [...refused, "-271821-04-20T00:00:00Z", "+275760-09-13T00:00:00Z"]) {
    const at = new Date(time);
    await expect(runtime.archival.add(agent, "x", { at })).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringContaining(range),
    });
    const messages = [{ role: "user" as const, text: "x", at }];
    await expect(runtime.conversations.import(agent, { messages })).rejects.toThrow(range);
  }
});

test("days of every accepted year are search filters, in zones far from UTC", async () => {
  for (const timeZone of ["Pacific/Kiritimati", "America/Los_Angeles", "Europe/Berlin"]) {
    const { id: agent } = await runtime.agents.create({ name: timeZone.replace("/", "-"), settings: { timeZone } });
    await runtime.archival.add(agent, "harbour one", { at: new Date("0050-06-15T12:00:00Z") });
    const found = async (options: object) => (await runtime.archival.search(agent, "harbour", options)).hits.length;
    expect(await found({ startDate: "0001-01-01", endDate: "9999-12-31" })).toBe(1);
    expect(await found({ startDate: "0050-06-15", endDate: "0050-06-16" })).toBe(1);
    expect(await found({ endDate: "0050-06-13" })).toBe(0);
    expect(await found({ startDate: "0051-01-01" })).toBe(0);
    for (const day of ["0000-01-01", "10000-01-01", "-0001-01-01", "2026-02-30"]) {
      await expect(runtime.archival.search(agent, "harbour", { startDate: day })).rejects.toThrow(range);
    }
  }
});

test("`/api` imports and reads every accepted time, and answers 400 for others", async () => {
  const agent = await newAgent();
  const imported = { messages: accepted.map((at, index) => ({ role: "user", text: `quay ${index}`, at })) };
  const { status } = await ask("POST", `/api/agents/${agent}/conversations/import`, imported);
  expect(status).toBe(201);
  const recall = await ask("GET", `/api/agents/${agent}/recall?query=quay&pageSize=20&start=0001-01-01&end=9999-12-31`);
  const { hits } = recall.body as { readonly hits: readonly { readonly at: string }[] };
  expect(hits.map(({ at }) => at).toSorted()).toEqual(accepted);
  for (const at of [...refused, "9999-12-31T23:59:59-10:00"]) {
    const messages = [{ role: "user", text: "x", at }];
    const answer = await ask("POST", `/api/agents/${agent}/conversations/import`, { messages });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(range)]);
    const schedule = await ask("POST", `/api/agents/${agent}/schedules`, { text: "x", at });
    expect([schedule.status, schedule.text]).toEqual([400, expect.stringContaining(range)]);
  }
  for (const day of ["0000-01-01", "10000-01-01", "infinity"]) {
    const answer = await ask("GET", `/api/agents/${agent}/recall?query=quay&start=${day}`);
    expect([day, answer.status]).toEqual([day, 400]);
  }
});

test("`/v1` stores and lists every accepted time, and answers 422 for others", async () => {
  const agent = await newAgent();
  const path = `/v1/agents/agent-${agent}/archival-memory`;
  for (const [index, at] of accepted.entries()) {
    const sent = { text: `pier ${index}`, created_at: index % 2 === 0 ? at : at.replace("Z", "") };
    expect((await ask("POST", path, sent)).status).toBe(200);
  }
  const listed = (await ask("GET", `${path}?limit=20`)).body as readonly { readonly created_at: string }[];
  expect(listed.map(({ created_at: at }) => at)).toEqual(accepted.map((at) => at.replace("Z", "000Z")));
  const found = await ask("GET", `${path}/search?query=pier&top_k=20&start_datetime=0001-01-01T00:00:00Z`);
  expect(found.body).toMatchObject({ count: accepted.length });
  for (const at of refused) {
    const answer = await ask("POST", path, { text: "x", created_at: at });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(range)]);
    const search = await ask("GET", `${path}/search?query=pier&start_datetime=${encodeURIComponent(at)}`);
    expect([at, search.status, search.text]).toEqual([at, 422, expect.stringContaining(range)]);
    const everywhere = await ask("POST", "/v1/passages/search", { query: "pier", start_date: at });
    expect([at, everywhere.status, everywhere.text]).toEqual([at, 422, expect.stringContaining(range)]);
    const messages = await ask("POST", "/v1/messages/search", { query: "pier", start_date: at });
    expect([at, messages.status, messages.text]).toEqual([at, 422, expect.stringContaining(range)]);
  }
});

test("an agent file carries every accepted time, and is refused with another", async () => {
  const agent = await newAgent();
  await runtime.archival.add(agent, "jetty one", { at: new Date("0001-01-01T00:00:00.000Z") });
  const file = await runtime.agents.export(agent);
  const other = served.host.forUser("grace");
  const { agents: imported } = await other.agents.import(file);
  const { hits } = await other.archival.search(imported[0]!.id, "jetty");
  expect(hits.map(({ at }) => at.toISOString())).toEqual(["0001-01-01T00:00:00.000Z"]);
  const text = JSON.stringify(file);
  expect(text).toContain("0001-01-01T00:00:00.000Z");
  const wrong = text.replaceAll("0001-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z");
  await expect(served.host.forUser("bob").agents.import(wrong)).rejects.toThrow(range);
});

test("a line of `archival import` is refused with the range", () => {
  for (const at of accepted) expect(readPassageLine(JSON.stringify({ text: "x", at })).problem).toBeNull();
  for (const at of [...refused, "9999-12-31T23:59:59-10:00"]) {
    expect(readPassageLine(JSON.stringify({ text: "x", at })).problem).toContain(range);
  }
});
