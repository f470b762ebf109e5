// `palimpsest modules`, as two users type it: modules that agents hold, offers, grants, and their end. On the engine at hand.
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { runInWorld } from "../support/fake-world.ts";
import { createTestRuntimes, type TestRuntimes } from "../support/runtime.ts";

let runtimes: TestRuntimes;
let pair = 0;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
});
afterAll(() => runtimes.close());
beforeEach(() => {
  pair += 1;
});

const free = { memoryType: "free" } as const;

function open(user: string) {
  const model = createScriptedModel({ replies: [] });
  return runtimes.open({ userId: `${user}${pair}`, model: "scripted", models: [model] });
}

async function run(user: string, ...argv: string[]) {
  return runInWorld(["modules", ...argv], { runtime: await open(user) });
}

async function json(user: string, ...argv: string[]) {
  return JSON.parse((await run(user, ...argv, "--json")).stdout) as Record<string, unknown> & { id: string };
}

async function addTeam(): Promise<string> {
  const made = await json("ada", "add", "team", "Standup at ten.", "--description", "For the team", "--tag", "work");
  return made.id;
}

it("creates a module, attaches it, shows who holds it, changes it and detaches it", async () => {
  const id = await addTeam();
  const ada = await open("ada");
  await ada.agents.create({ ...free, name: "scout" });
  expect((await run("ada", "attach", "team", "-a", "scout")).stdout).toBe('"scout" now has "team".\n');
  expect((await run("ada", "attach", id, "-a", "scout")).stdout).toBe('"scout" had "team" already.\n');
  const { stdout } = await run("ada", "show", "team");
  for (const line of [
    /^held by +scout$/mu,
    /^shared with +nobody$/mu,
    /^tags +\[work\]$/mu,
    /^size +15\/4000 characters, revision 0$/mu,
    /^ {2}Standup at ten\.$/mu,
  ])
    expect(stdout).toMatch(line);
  expect((await run("ada", "set", "team", "Standup at nine.")).stdout).toBe(
    'Set "team" (16/4000 characters), revision 1.\n',
  );
  expect((await run("ada", "history", "team")).stdout).toMatch(
    /revision 1, by ada\d+ \(api\)\n {2}- Standup at ten\.\n {2}\+ Standup at nine\./u,
  );
  expect(await json("ada", "list", "--tag", "work")).toMatchObject([
    { id, access: "own", holders: [{ agentName: "scout" }], recipients: [], length: 16 },
  ]);
  expect((await run("ada", "detach", "team", "-a", "scout")).stdout).toContain("The module stays.");
  expect((await run("ada", "detach", id, "-a", "scout")).stdout).toBe('"scout" did not have "team".\n');
});

it("shares a module: an offer, the access, what it allows, and its end by either side", async () => {
  const id = await addTeam();
  const shared = await run("ada", "share", "team", `ben${pair}`, "--access", "append");
  expect(shared.stdout).toContain(`modules accept ${id} --user ben${pair}`);
  expect((await run("ada", "list")).stdout).toContain(`ben${pair} (append, offered)`);
  expect((await run("ben", "offers")).stdout).toMatch(new RegExp(`^team +ada${pair} +append .* ${id}$`, "mu"));
  expect((await run("ben", "accept", "team")).stdout).toContain(`"team" of "ada${pair}" (append)`);
  expect(await json("ben", "show", "team")).toMatchObject({ id, access: "append", recipients: null });
  const refused = await run("ben", "set", "team", "Mine.");
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("can only be added to the end")]);
  expect((await run("ben", "set", "team", "Standup at ten. Bring tea.")).exitCode).toBe(0);
  const [edit] = (await json("ada", "history", "team")) as unknown as readonly object[];
  expect(edit).toMatchObject({ moduleId: id, editorId: `ben${pair}`, agentId: null, trust: "external" });
  expect((await run("ada", "show", "team")).stdout).toMatch(/^trust +from outside$/mu);
  expect((await run("ben", "unshare", "team")).stdout).toBe(`"team" is no longer shared with "ben${pair}".\n`);
  expect((await run("ada", "unshare", "team", `ben${pair}`)).stdout).toContain("was not shared with");
  expect((await run("ben", "show", id)).exitCode).toBe(1);
});

it("declines an offer, and does not accept it afterwards", async () => {
  await addTeam();
  await run("ada", "share", "team", `ben${pair}`);
  expect((await run("ben", "decline", "team")).stdout).toBe('Declined "team".\n');
  const { exitCode, stderr } = await run("ben", "accept", "team");
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("`palimpsest modules offers` lists the offers")]);
});

it("deletes a module only with --yes, and says who would lose it", async () => {
  const id = await addTeam();
  await (await open("ada")).agents.create({ ...free, name: "scout", modules: [id] });
  const { exitCode, stderr } = await run("ada", "remove", "team");
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("which scout would lose")]);
  expect((await run("ada", "remove", "team", "--yes")).stdout).toBe('Deleted the module "team".\n');
  expect((await run("ada", "list")).stdout).toBe(
    "There are no modules yet. `palimpsest modules add LABEL` creates one.\n",
  );
});

it("names a module by its label only if one has it; with --agent, by the labels of that agent", async () => {
  const id = await addTeam();
  const other = await addTeam();
  await (await open("ada")).agents.create({ ...free, name: "scout", modules: [other] });
  const several = await run("ada", "show", "team");
  expect(several).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(id) });
  expect((await json("ada", "show", "team", "-a", "scout")).id).toBe(other);
  const unknown = await run("ada", "show", "nothing", "-a", "scout");
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining("It has: team.")]);
  expect(await run("ada", "show", "nothing")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("`palimpsest modules list`"),
  });
});

it("refuses an unknown access, and the owner as the other user", async () => {
  await addTeam();
  const access = await run("ada", "share", "team", "ben", "--access", "all");
  expect([access.exitCode, access.stderr]).toEqual([2, expect.stringContaining("expected read or append or write")]);
  const own = await run("ada", "share", "team", `ada${pair}`);
  expect([own.exitCode, own.stderr]).toEqual([expect.any(Number), expect.stringContaining("another user")]);
  expect(own.exitCode).not.toBe(0);
});
