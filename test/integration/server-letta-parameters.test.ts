// The parameters that Letta's official clients declare, against what each route reads or refuses: none is ignored in silence.
import * as z from "zod";
import { lettaDoor } from "../../src/surfaces/http/letta/letta-door.ts";
import { documentedRoutes, routesOfPython } from "../support/letta-parameters.ts";
import { openLettaScene } from "../support/letta-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openLettaScene());

/** Parameters without an effect on what a list or a record contains: no message has errors, and those of a group have a route of their own. */
const withoutEffectOnReading = ["include_err", "group_id"];

/** Parameters without an effect on what is stored or answered, as docs/from-letta.md says. */
const withoutEffect = [
  // How fast or how a stream is read, and what models are asked beside the answer.
  "batch_size",
  "poll_interval",
  "client_skills",
  "enable_thinking",
  "return_logprobs",
  "return_token_ids",
  "top_logprobs",
  // Marks of Letta's cloud.
  "base_template_id",
  "deployment_id",
  "entity_id",
  "hidden",
  "is_template",
  "preserve_on_migration",
  "project_id",
  "project",
  "template",
  "template_id",
  "template_name",
  "from_template",
  "memory_variables",
  // Settings of models, windows and tools, which the agent has under other names.
  "embedding_chunk_size",
  "enable_reasoner",
  "max_reasoning_tokens",
  "reasoning",
  "compaction_settings",
  "include_base_tool_rules",
  "include_default_source",
  "npm_requirements",
  "context_window_limit",
  // Records that the server keeps itself.
  "last_run_completion",
  "last_run_duration_ms",
  "last_message_at",
  "message_ids",
  "description",
  "archived",
  "dry_run",
  "update_timestamp",
  "add_default_initial_messages",
  "env_vars_json",
  "secrets",
  "otid",
  "agent_id",
  "tags",
  "query_requires_approval",
  "search_mode",
  "last_stop_reason",
];

/** Of Letta's cloud, or listed in docs/from-letta.md as not served. */
const notServed = /client-side-access-tokens|environments|schedule|templates|tools\/\*\/run/u;

const routes = [...documentedRoutes(), ...routesOfPython()].map(
  (documented) => [`${documented.method} ${documented.path}`, documented] as const,
);

test.each(routes)("%s reads or refuses its parameters", (name, { method, path, parameters }) => {
  const found = lettaDoor.routes.find(
    (one) => one.method === method && `/v1${one.path}`.replace(/:\w+/gu, "*") === path,
  );
  if (found === undefined) {
    expect(name).toMatch(notServed);
    return;
  }
  const schemaOf = (schema: z.ZodType | null) =>
    schema === null ? "" : JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  const known = schemaOf(found.query) + schemaOf(found.body);
  // Read from the headers; server-letta-files.test.ts sends it.
  const isHeader = (parameter: string) =>
    parameter === "x-override-embedding-model" && name === "post /v1/agents/import";
  const isInPath = (parameter: string) => found.path.includes(`:${parameter.replace(/_id$/u, "")}`);
  const ignored = parameters.filter((one) => !known.includes(`"${one}":`) && !isInPath(one) && !isHeader(one));
  const harmless = method === "get" ? withoutEffectOnReading : withoutEffect;
  expect(ignored.filter((one) => !harmless.includes(one))).toEqual([]);
});

test("tags have an order and a limit, and no list has another order than that of creation", async () => {
  await scene.runtime.agents.create({ name: `tagged-${Date.now()}`, persona: "", human: "", tags: ["a", "b", "c"] });
  const tags = async (query: string) => (await scene.ask<readonly string[]>("GET", `/tags${query}`)).body;
  const all = await tags("");
  expect(all).toEqual(expect.arrayContaining(["a", "b", "c"]));
  expect(await tags("?order=desc&limit=2&order_by=name")).toEqual(all.toReversed().slice(0, 2));
  for (const path of ["/folders?order_by=name", "/tags?order_by=created_at"])
    expect(await scene.ask("GET", path)).toMatchObject({ status: 422 });
});

test("agents are found by the keys of their identities, and by no other person's", async () => {
  const [mine, other] = [await scene.newAgent(), await scene.newAgent()];
  for (const [key, agent] of [
    ["ada", mine],
    ["ben", other],
  ] as const)
    await scene.ask("POST", "/identities", {
      identifier_key: key,
      name: key,
      identity_type: "user",
      agent_ids: [`agent-${agent}`],
    });
  const found = async (query: string) =>
    (await scene.ask<readonly { readonly id: string }[]>("GET", `/agents${query}`)).body.map(({ id }) => id);
  expect(await found("?identifier_keys=ada")).toEqual([`agent-${mine}`]);
  expect(await found("?identifier_keys=ada&identifier_keys=ben&order=asc")).toEqual([
    `agent-${mine}`,
    `agent-${other}`,
  ]);
  expect(await found("?identifier_keys=nobody")).toEqual([]);
});

test.each([
  "/blocks?identity_id=identity-123e4567-e89b-42d3-8456-426614174000",
  "/blocks?identifier_keys=ada",
  "/blocks?name=none",
  "/blocks?project_id=none",
  "/conversations?archive_status=archived",
])("%s finds nothing instead of everything", async (path) => {
  await scene.newAgent();
  expect(await scene.ask("GET", path)).toEqual({ status: 200, body: [] });
});

test.each([
  "/agents?last_stop_reason=error",
  "/steps?tags=a",
  "/runs?agent_ids=a",
  "/agents?sort_by=last_run_completion",
])("%s is refused", async (path) => {
  const { status, body } = await scene.ask<{ readonly detail: string }>("GET", path);
  expect([status, body.detail]).toEqual([422, expect.stringContaining("this server")]);
});

test("a callback and the metadata of a passage are refused, and nothing is stored", async () => {
  const agent = `agent-${await scene.newAgent()}`;
  const message = { messages: [{ role: "user", content: "SAY hi" }], callback_url: "https://example.com" };
  expect((await scene.ask("POST", `/agents/${agent}/messages/async`, message)).status).toBe(422);
  const passage = { text: "Boats.", metadata: { kind: "boat" } };
  expect((await scene.ask("POST", `/agents/${agent}/archival-memory`, passage)).status).toBe(422);
  expect((await scene.ask("GET", `/agents/${agent}/archival-memory`)).body).toEqual([]);
});
