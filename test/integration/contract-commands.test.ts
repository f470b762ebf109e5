// Commands on identities, stored tools, users' MCP servers, turns and others, against a real runtime.
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { startHttpMcpServer } from "../support/http-mcp-server.ts";
import { runInWorld } from "../support/fake-world.ts";
import { createTestRuntimes, drain, type TestRuntimes } from "../support/runtime.ts";

let runtimes: TestRuntimes;
beforeAll(async () => {
  runtimes = await createTestRuntimes();
});
afterAll(() => runtimes.close());

async function open() {
  const model = createScriptedModel({ replies: () => ({ text: "Ahoy." }) });
  return runtimes.open({ model: "scripted", models: [model], userMcpServers: "network" });
}

const run = (...argv: string[]) => runInWorld(argv, { openRuntime: open });

async function text(...argv: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await run(...argv);
  expect({ argv, stderr, exitCode }).toEqual({ argv, stderr: "", exitCode: 0 });
  return stdout;
}

const json = async (...argv: string[]) => JSON.parse(await text(...argv, "--json")) as Record<string, unknown>;

async function failure(...argv: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await run(...argv);
  expect({ argv, stdout, failed: exitCode !== 0 }).toEqual({ argv, stdout: "", failed: true });
  return stderr;
}

test("identities are created, changed, listed and removed by pairs of KEY and VALUE", async () => {
  const added = await json("identities", "add", "key", "ada@example.com", "name", "Ada", "kind", "org");
  expect(added).toMatchObject({ key: "ada@example.com", name: "Ada", kind: "org", properties: [] });
  const id = String(added["id"]);
  const properties = '[{"key":"age","type":"number","value":36}]';
  expect(await json("identities", "set", id, "name", "Ada L", "properties", properties)).toMatchObject({
    name: "Ada L",
    properties: [{ key: "age", type: "number", value: 36 }],
  });
  expect(await text("identities", "show", id)).toContain("name        Ada L\n");
  expect(await text("identities", "list")).toMatch(/^NAME +KIND +KEY +ID\nAda L +org +ada@example\.com +/u);
  expect(await failure("identities", "remove", id)).toContain("To confirm, add --yes");
  expect(await text("identities", "remove", id, "--yes")).toBe(`Deleted the identity ${id}.\n`);
  expect(await text("identities", "list")).toBe("There are no identities.\n");
});

test.each([
  [["identities", "add", "key", "x"], "expected `name`"],
  [["identities", "add", "name"], "an argument is missing"],
  [["identities", "add", "name", "x", "kind"], "kind has no value"],
  [
    ["identities", "add", "name", "x", "nmae", "y"],
    'Expected one of key, name, id, kind, properties as KEY, got "nmae"',
  ],
  [["identities", "add", "name", "x", "kind", "robot"], 'kind: expected user or org or other, got "robot"'],
  [["identities", "add", "name", "x", "properties", "age"], "properties: expected JSON"],
  [["identities", "add", "name", "x", "name", "y"], "Expected each setting once, got name twice"],
  [["identities", "show", "0199aaaa-0000-7000-8000-000000000000"], "no such identity"],
])("%j is refused", async (argv, expected) => {
  expect((await failure(...argv)).toLowerCase()).toContain(expected.toLowerCase());
});

test("the help of a command with KEY and VALUE lists the keys of its contract", async () => {
  const { stdout } = await runInWorld(["help", "identities", "add"]);
  expect(stdout).toContain("KEY is one of key (required), name (required), id, kind (user|org|other), properties.");
});

test("a schedule is changed by pairs, whose times and flags are converted", async () => {
  await text("agents", "add", "clock");
  const argv = ["schedule", "add", "Good morning", "--cron", "0 9 * * *", "--on-busy", "skip", "-a", "clock", "--json"];
  const { id } = JSON.parse((await run(...argv)).stdout) as { readonly id: string };
  const changed = await json(
    "schedule",
    "set",
    id,
    "at",
    "2099-12-24T18:00Z",
    "isEnabled",
    "false",
    "quietHours",
    "none",
  );
  expect(changed).toMatchObject({
    at: "2099-12-24T18:00:00.000Z",
    cron: null,
    isEnabled: false,
    quietHours: null,
    onBusy: "skip",
  });
  expect(await failure("schedule", "set", id, "at", "tomorrow")).toContain("at: expected");
  expect(await failure("schedule", "set", id, "isEnabled", "no")).toContain("isEnabled: expected true or false");
});

test("stored tools are listed, attached to an agent, made to wait for approval, and removed", async () => {
  await text("agents", "add", "crew");
  const runtime = await open();
  await runtime.tools.create({ name: "wind", description: "Returns the wind.", parameters: { type: "object" } });
  expect(await text("tools", "list")).toMatch(/^NAME +KIND +REQUIRES APPROVAL +TAGS +ID\nwind +client +false/u);
  expect(await text("tools", "attach", "wind", "-a", "crew")).toBe('"crew" now has "wind".\n');
  expect(await json("tools", "attach", "wind", "-a", "crew")).toEqual({ attached: false });
  expect(await text("tools", "approval", "wind", "always", "-a", "crew")).toContain("always");
  expect(await json("tools", "list", "-a", "crew")).toMatchObject({
    stored: [{ name: "wind", agentRequiresApproval: true }],
    builtIn: expect.arrayContaining([expect.objectContaining({ name: "core_memory_append" })]),
  });
  expect(await failure("tools", "approval", "wind", "sometimes", "-a", "crew")).toContain("WHEN: expected always or");
  expect(await text("tools", "detach", "wind", "-a", "crew")).toBe('"crew" no longer has "wind".\n');
  expect(await text("tools", "show", "wind")).toContain("description       Returns the wind.");
  expect(await text("tools", "remove", "wind", "--yes")).toBe('Deleted the tool "wind".\n');
});

test("a user's MCP server is added with its tools, changed, refreshed, run and removed", async () => {
  const mcp = await startHttpMcpServer();
  try {
    expect(await text("mcp-servers", "list")).toBe("You have added no server.\n");
    const headers = '{"authorization":"Bearer good"}';
    const added = await json("mcp-servers", "add", "name", "words", "url", mcp.url, "headers", headers);
    expect(added).toMatchObject({
      server: { name: "words", url: mcp.url, headerNames: ["authorization"] },
      refresh: { added: ["echo", "add"], problems: [] },
    });
    const { id } = added["server"] as { readonly id: string };
    expect(await text("mcp-servers", "show", id)).not.toContain("Bearer");
    expect(await text("mcp-servers", "list")).toContain(`words  ${mcp.url}`);
    expect(await text("mcp-servers", "set", id, "name", "talk")).toContain("name         talk\n");
    mcp.tools = { echo: "Repeats." };
    expect(await json("mcp-servers", "refresh", id)).toMatchObject({ updated: ["echo"], deleted: ["add"] });
    expect(await json("mcp-servers", "tools", id)).toMatchObject([{ name: "talk__echo", kind: "mcp" }]);
    const echoed = await run("mcp-servers", "run", id, "talk__echo", "--arguments", '{"word":"ahoy"}');
    expect(echoed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(mcp.calls).toEqual(["echo ahoy"]);
    expect((await run("mcp-servers", "run", id, "talk__echo", "--arguments", '{"word":"fail"}')).exitCode).toBe(1);
    expect(await failure("mcp-servers", "run", id, "talk__echo", "--arguments", "[]")).toContain(
      "expected a JSON object",
    );
    expect(await text("mcp-servers", "remove", id, "--yes")).toBe(`Deleted the MCP server ${id}.\n`);
    expect(await failure("mcp-servers", "refresh", id)).toContain("no such MCP server");
  } finally {
    await mcp.close();
  }
});

test("turns, conversations, passages, facts and the use of a user are shown and changed", async () => {
  const runtime = await open();
  const agent = await runtime.agents.open("log", { create: {} });
  await drain(agent.send("Ahoy"));
  const [turn] = (await json("turns", "list", "-a", "log")) as unknown as { readonly id: string }[];
  expect(await json("turns", "show", turn?.id ?? "")).toMatchObject({ state: "completed", steps: [{ number: 1 }] });
  const { id: fork } = await json("conversations", "fork", "-a", "log", "-r", agent.conversationId);
  expect(await text("conversations", "show", "-a", "log", "-r", String(fork))).toContain("Ahoy");
  expect(await text("conversations", "add", "-a", "log", "--title", "Storms")).toContain(
    "To continue it: palimpsest -a log",
  );
  const { id: passage } = await json("archival", "add", "Storms in March", "-a", "log");
  expect(await text("archival", "tag", String(passage), "storm", "spring", "-a", "log")).toBe(
    "Tagged: storm, spring.\n",
  );
  expect(await failure("archival", "tag", String(fork), "storm", "-a", "log")).toContain("has no passage");
  expect(await text("memory", "remember", "Lives in Lisbon", "-a", "log")).toMatch(
    /^human is now at revision \d+\.\n$/u,
  );
  expect(await text("memory", "remember", "Lives in Lisbon", "-a", "log")).toBe("It is known already.\n");
  expect(await json("memory", "cause", "human", "1", "-a", "log")).toBeDefined();
  expect(await json("users", "show")).toMatchObject({ conversations: expect.any(Number) });
});

test("a source is created, and its passages are listed", async () => {
  expect(await text("sources", "add", "handbook", "--description", "how we work")).toBe('Created source "handbook".\n');
  expect(await text("sources", "passages", "handbook")).toBe("It has no passages.\n");
  expect(await failure("sources", "remove", "handbook", "a.md", "--yes")).toContain('"handbook" has no file a.md.');
  expect(await text("sources", "remove", "handbook", "--yes")).toBe('Removed source "handbook".\n');
});
