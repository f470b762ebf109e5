// The branches and the title of a conversation on the command line: which conversation is meant, and how it is changed.
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

describe("branches of a conversation", () => {
  const callsOf = async (argv: readonly string[]) => {
    const asked = createFakeRuntime({ agents: ["main", "scout"] });
    const ran = await runInWorld([...argv], { runtime: asked });
    return { ...ran, calls: asked.calls.filter(([name]) => name !== "close") };
  };

  it("are listed for the last used one, or for the given one", async () => {
    const { stdout, calls } = await callsOf(["conversations", "branches", "-a", "scout"]);
    expect(calls).toEqual([
      ["conversations.list", "scout", { limit: 1 }],
      ["conversations.branches", "conversation-1"],
    ]);
    expect(stdout).toMatch(/^\* +message-2 .* Hello Ada$/mu);
    expect(stdout).toMatch(/^ +message-3 .* 1 +message-1 +Hello there$/mu);
    expect((await callsOf(["conversations", "branches", "-r", "conversation-7"])).calls).toEqual([
      ["conversations.branches", "conversation-7"],
    ]);
  });

  it("are switched to in the open conversation", async () => {
    const { stdout, calls } = await callsOf(["conversations", "switch", "message-3", "-a", "scout"]);
    expect(calls).toEqual([
      ["conversations.list", "scout", { limit: 1 }],
      ["agents.open", "scout", { conversation: { id: "conversation-1" }, withoutCalls: true, create: undefined }],
      ["agent.switchTo", "message-3"],
    ]);
    expect(stdout).toBe("Conversation conversation-1 is now at message message-3.\n");
    expect(await callsOf(["conversations", "switch"])).toMatchObject({ exitCode: 2, calls: [] });
  });

  it("are none in an empty conversation", async () => {
    const empty = createFakeRuntime({ agents: ["main"] });
    const runtime = { ...empty, conversations: { ...empty.conversations, list: async () => [] } };
    const listed = await runInWorld(["conversations", "branches"], { runtime });
    expect(listed).toMatchObject({ exitCode: 0, stdout: 'There is no message yet in a conversation with "main".\n' });
    const switched = await runInWorld(["conversations", "switch", "message-3"], { runtime });
    expect(switched).toMatchObject({ exitCode: 1, stdout: "" });
    expect(switched.stderr).toContain("has no conversation yet");
  });
});

describe("the title of a conversation", () => {
  it("is set by an id and a text", async () => {
    const runtime = createFakeRuntime({ agents: ["main"] });
    const { stdout, exitCode } = await runInWorld(["conversations", "rename", "conversation-7", "Boats"], { runtime });
    expect({ stdout, exitCode }).toEqual({ stdout: 'Renamed conversation conversation-1 to "Boats".\n', exitCode: 0 });
    expect(runtime.calls).toContainEqual(["conversations.rename", "conversation-7", "Boats"]);
    const { stdout: json } = await runInWorld(["conversations", "rename", "conversation-7", "B", "--json"], {
      runtime,
    });
    expect(JSON.parse(json)).toEqual({ id: "conversation-1", title: "B" });
  });

  it("is refused without both", async () => {
    const runtime = createFakeRuntime({ agents: ["main"] });
    expect(await runInWorld(["conversations", "rename", "conversation-7"], { runtime })).toMatchObject({ exitCode: 2 });
    expect(runtime.calls.map(([name]) => name)).not.toContain("conversations.rename");
  });
});
