// Identities of Letta's API: records of people that agents talk to, and the agents that have them.
import Letta from "@letta-ai/letta-client";
import { openLettaServer } from "../support/letta-server.ts";
import { useScene } from "../support/use-scene.ts";

const server = useScene(() => openLettaServer());

let count = 0;
const newKey = () => `key-${(count += 1)}`;

interface Wire {
  readonly id: string;
  readonly agent_ids: readonly string[];
  readonly identifier_key: string;
}

async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await server.ask(method, `/v1${path}`, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const mail = { key: "mail", value: "a@example.org", type: "string" };
const create = (more: object = {}) =>
  ask("POST", "/identities/", {
    identifier_key: newKey(),
    name: "Ada",
    identity_type: "user",
    properties: [mail],
    ...more,
  }) as Promise<Wire>;
const newAgent = (more: object = {}) => server.client.agents.create({ name: `agent-${(count += 1)}`, ...more });

test("an identity is created, found by key, name and type, changed, counted and deleted", async () => {
  const made = await create();
  expect(made).toEqual({
    id: expect.stringMatching(/^identity-/u),
    identifier_key: made.identifier_key,
    name: "Ada",
    identity_type: "user",
    project_id: null,
    agent_ids: [],
    block_ids: [],
    organization_id: "org-00000000-0000-4000-8000-000000000000",
    properties: [mail],
  });
  const other = await create({ name: "Acme", identity_type: "org" });
  const listed = async (query: string) => ((await ask("GET", `/identities/?${query}`)) as Wire[]).map(({ id }) => id);
  expect(await listed(`identifier_key=${made.identifier_key}`)).toEqual([made.id]);
  expect(await listed("name=acm")).toEqual([other.id]);
  expect(await listed("identity_type=org")).toEqual([other.id]);
  expect(await listed(`order=asc&after=${made.id}`)).toContain(other.id);
  expect(await listed(`order=asc&before=${made.id}`)).not.toContain(other.id);
  expect(await ask("GET", "/identities/count")).toBe(2);
  expect(await ask("PATCH", `/identities/${made.id}`, { name: "Eve" })).toEqual({ ...made, name: "Eve" });
  const work = { key: "work", value: { city: "Porto" }, type: "json" };
  await ask("PUT", `/identities/${made.id}/properties`, [work, { ...mail, value: "b@example.org" }]);
  expect(await ask("GET", `/identities/${made.id}`)).toMatchObject({
    properties: [work, { ...mail, value: "b@example.org" }],
  });
  expect(await ask("DELETE", `/identities/${made.id}`)).toBeNull();
  expect((await server.ask("GET", `/v1/identities/${made.id}`)).status).toBe(404);
});

test("a key is unique; an upsert changes the identity that has it", async () => {
  const made = await create();
  const same = { identifier_key: made.identifier_key, name: "Eve", identity_type: "other" };
  expect((await server.ask("POST", "/v1/identities/", same)).status).toBe(409);
  expect(await ask("PUT", "/identities/", same)).toMatchObject({ id: made.id, name: "Eve", properties: [mail] });
  const fresh = (await ask("PUT", "/identities/", { ...same, identifier_key: newKey() })) as Wire;
  expect(fresh.id).not.toBe(made.id);
  const invalid = [{ name: "x" }, { ...same, identity_type: "robot" }, { ...same, properties: [{ key: 1 }] }];
  for (const body of invalid) expect((await server.ask("POST", "/v1/identities/", body)).status).toBe(422);
  const blank = { ...same, identifier_key: newKey(), name: " " };
  expect((await server.ask("POST", "/v1/identities/", blank)).status).toBe(400);
});

test("agents have identities: at their creation, by an update, by the identity, and by attaching", async () => {
  const [first, second] = [await create(), await create()];
  const one = await newAgent({ identity_ids: [first.id] });
  const two = await newAgent();
  const ofIdentity = async ({ id }: Wire) => ((await ask("GET", `/identities/${id}`)) as Wire).agent_ids;
  expect(await ofIdentity(first)).toEqual([one.id]);
  expect(await ask("GET", `/agents/${one.id}`)).toMatchObject({
    identity_ids: [first.id],
    identities: [{ ...first, agent_ids: [one.id] }],
  });
  const ofClient = async (include: NonNullable<Letta.AgentRetrieveParams["include"]>) =>
    (await server.client.agents.retrieve(one.id, { include })).identities;
  expect(await ofClient([])).toEqual([]);
  expect(await ofClient(["agent.identities"])).toMatchObject([{ id: first.id, identifier_key: first.identifier_key }]);
  await ask("PATCH", `/agents/${two.id}/identities/attach/${first.id}`);
  await ask("PATCH", `/agents/${two.id}/identities/attach/${first.id}`);
  const agents = (await ask("GET", `/identities/${first.id}/agents?order=asc`)) as readonly { readonly id: string }[];
  expect(agents.map(({ id }) => id)).toEqual([one.id, two.id]);
  await ask("PATCH", `/agents/${one.id}/identities/detach/${first.id}`);
  expect(await ofIdentity(first)).toEqual([two.id]);
  await ask("PATCH", `/identities/${second.id}`, { agent_ids: [one.id, two.id] });
  await ask("PATCH", `/identities/${second.id}`, { agent_ids: [one.id] });
  expect(await ofIdentity(second)).toEqual([one.id]);
  expect((await server.client.agents.list({ identity_id: second.id })).items.map(({ id }) => id)).toEqual([one.id]);
  await ask("DELETE", `/identities/${second.id}`);
  expect(await ask("GET", `/agents/${one.id}`)).toMatchObject({ identity_ids: [], identities: [] });
  expect(await ask("GET", `/identities/${first.id}/blocks`)).toEqual([]);
});

test("identities that an agent gets at the same time as other changes are all kept", async () => {
  const agent = await newAgent();
  const made = await Promise.all(Array.from({ length: 6 }, () => create()));
  const give = ({ id }: Wire, at: number) =>
    at % 2 === 0
      ? ask("PATCH", `/agents/${agent.id}/identities/attach/${id}`)
      : ask("PATCH", `/identities/${id}`, { agent_ids: [agent.id] });
  const change = (at: number) => ask("PATCH", `/agents/${agent.id}`, { description: `change ${at}` });
  await Promise.all(made.flatMap((one, at) => [give(one, at), change(at)]));
  const { identity_ids: kept = [] } = await server.client.agents.retrieve(agent.id);
  expect(kept?.toSorted()).toEqual(made.map(({ id }) => id).toSorted());
});

test("what belongs to another user does not exist, and the same key is free", async () => {
  const made = await create();
  const own = await newAgent();
  const { secret } = await server.host.keys.create("ben", { scope: "admin" });
  const ben = new Letta({ baseURL: server.url, apiKey: secret, maxRetries: 0 });
  const bens = await ben.agents.create({ name: "ben's" });
  const refused = [
    ben.get(`/v1/identities/${made.id}`),
    ben.patch(`/v1/identities/${made.id}`, { body: { name: "x" } }),
    ben.delete(`/v1/identities/${made.id}`),
    ben.get(`/v1/identities/${made.id}/agents`),
    ben.patch(`/v1/agents/${bens.id}/identities/attach/${made.id}`),
    ben.post("/v1/identities/", {
      body: { identifier_key: newKey(), name: "x", identity_type: "user", agent_ids: [own.id] },
    }),
  ];
  for (const attempt of refused) await expect(attempt).rejects.toMatchObject({ status: 404 });
  expect(await ben.get("/v1/identities/")).toEqual([]);
  const same = { identifier_key: made.identifier_key, name: "Ben", identity_type: "user" };
  expect(await ben.post("/v1/identities/", { body: same })).toMatchObject({ name: "Ben" });
});
