// The commands about agents of other users, and those that read and export a conversation.
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

const at = new Date("2026-11-21T10:13:01.000Z");
const former = { id: "agent-8", ownerId: "ada", name: "ada/old", timeZone: "UTC", endedAt: at };

function runtime() {
  return createFakeRuntime({ agents: ["main", "scout"], former: [former] });
}

it.each([
  [["agents", "share", "scout", "grace"], ["agents.share", "scout", "grace"], "agents accept local/scout"],
  [["agents", "unshare", "scout", "grace"], ["agents.unshare", "scout", "grace"], "is no longer shared with"],
  [["agents", "accept", "ada/critic"], ["agents.accept", "ada/critic"], "palimpsest -a ada/critic"],
  [["agents", "decline", "ada/critic"], ["agents.decline", "ada/critic"], "Declined"],
  [["agents", "leave", "ada/critic"], ["agents.leave", "ada/critic"], "can still be read"],
  [["agents", "remove", "ada/old", "--yes"], ["agents.delete", "agent-8"], 'Deleted agent "ada/old"'],
  [["conversations", "show", "-r", "conv-1"], ["conversations.export", "conv-1"], "has no messages yet"],
  [["conversations", "export", "-", "-r", "conv-1"], ["conversations.export", "conv-1"], ""],
])("%j", async (argv, call, told) => {
  const asked = runtime();
  const { exitCode, stdout } = await runInWorld(argv, { runtime: asked });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(told);
  expect(asked.calls).toEqual([call, ["close"]]);
});

it("agents list shows owners, and read-only agents", async () => {
  const { stdout } = await runInWorld(["agents", "list"], { runtime: runtime() });
  expect(stdout).toMatch(/^scout +local +demo/mu);
  expect(stdout).toMatch(/^ada\/old +ada +only read since 2026-11-21 10:13 +agent-8$/mu);
  const listed = await runInWorld(["agents", "list", "--json"], { runtime: runtime() });
  expect(JSON.parse(listed.stdout)).toContainEqual(
    expect.objectContaining({ name: "ada/old", ownerId: "ada", model: null, endedAt: "2026-11-21T10:13:01.000Z" }),
  );
});

it("agents show lists the users of the user's own agent", async () => {
  const { stdout } = await runInWorld(["agents", "show", "scout"], { runtime: runtime() });
  expect(stdout).toMatch(/^owner +local$/mu);
  expect(stdout).toMatch(/^shared with +grace$/mu);
});

it("agents offers lists offers with their owners", async () => {
  const { stdout } = await runInWorld(["agents", "offers"], { runtime: runtime() });
  expect(stdout).toMatch(/^ada\/critic +ada +2026-11-21 10:13 +agent-9$/mu);
});
