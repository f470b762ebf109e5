// Listings: the JSON that scripts rely on, the text that people read, and what is asked of the runtime.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { type CliRun, runInWorld } from "../../support/fake-world.ts";

const at = "2026-11-21T10:13:01.000Z";
const runtime = createFakeRuntime({ agents: ["main", "scout"] });
const run = (...argv: string[]): Promise<CliRun> => runInWorld(argv, { runtime });
const json = async (...argv: string[]): Promise<unknown> => {
  const { stdout, stderr, exitCode } = await run(...argv, "--json");
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toMatch(/^[^\n]+\n$/u);
  return JSON.parse(stdout);
};
const hit = { id: "message-1", role: "user", text: "I like sailing", tags: [], trust: "user", origin: null, at };

describe("--json", () => {
  it("agents list", async () => {
    const made = { model: "demo", protocol: "native", memoryType: "chat", ownerId: "local", createdAt: at };
    const common = { ...made, description: null, tags: [] };
    expect(await json("agents", "list")).toEqual([
      { id: "agent-main", name: "main", baseUrl: null, ...common },
      { id: "agent-scout", name: "scout", baseUrl: null, ...common },
    ]);
  });

  it("agents show", async () => {
    expect(await json("agents", "show", "scout")).toMatchObject({
      name: "scout",
      settings: { maxSteps: 50 },
      systemPrompt: "You are an agent.",
    });
  });

  it("memory show, set, history and undo", async () => {
    const value = "Name: Ada\nLives in Lisbon";
    const human = {
      id: "module",
      ownerId: "ada",
      label: "human",
      scope: "user",
      description: null,
      value,
      length: 25,
      limit: 2000,
      readOnly: false,
      revision: 1,
      trust: "model",
      lineTrust: null,
    };
    expect(await json("memory", "show", "-a", "scout")).toEqual([human]);
    expect(await json("memory", "show", "human")).toEqual([human]);
    expect(await json("memory", "set", "human", "Ada")).toMatchObject({ label: "human", value: "Ada", revision: 2 });
    expect(await json("memory", "history")).toEqual([
      {
        moduleId: "module",
        label: "human",
        revision: 1,
        before: "",
        after: value,
        origin: "model",
        client: null,
        editorId: "ada",
        agentId: "agent",
        toolName: "core_memory_append",
        callId: "call-1",
        messageId: "message-2",
        conversationId: "conversation-1",
        undoes: null,
        trust: "model",
        lineTrust: null,
        external: [],
        at,
      },
    ]);
    expect(await json("memory", "undo")).toBeNull();
    expect(await json("memory", "undo", "human", "--revision", "1", "--force")).toMatchObject({
      revision: 1,
      later: [{ revision: 3 }, { revision: 2 }],
    });
    expect(await json("memory", "show", "human", "--at", "0")).toMatchObject([{ value: "Name: Ada", revision: 0 }]);
    const added = ["Name: Ada", "Lives in Lisbon"];
    const diff = { label: "human", from: 0, to: 1, before: "", after: value, removed: [], added };
    expect(await json("memory", "diff")).toEqual(diff);
  });

  const shownPage = { page: 1, pageSize: 5, wordsAlone: false };

  it("recall search and dates, with pages from 1", async () => {
    expect(await json("recall", "search", "sailing")).toEqual({ ...shownPage, total: 1, hits: [hit] });
    expect(await json("recall", "dates", "2026-11-20")).toEqual({ ...shownPage, total: 0, hits: [] });
  });

  it("archival list, search and add", async () => {
    expect(await json("archival", "list", "--limit", "2")).toEqual([
      {
        id: "passage-1",
        text: "Ada sails",
        tags: ["sea"],
        kind: "memory",
        origin: "model",
        trust: "external",
        importance: 0.5,
        at,
        external: [],
      },
    ]);
    const shared = { tags: ["sea"], kind: "memory", origin: "model", trust: "external", importance: 0.5, at };
    expect(await json("archival", "search", "sea")).toEqual({
      ...shownPage,
      total: 1,
      hits: [
        {
          id: "passage-1",
          role: null,
          text: "Ada sails",
          ...shared,
          source: null,
          replacement: null,
          explanation: {
            score: 1.5,
            words: { rank: 1, score: 0.0608 },
            meaning: { rank: 2, cosine: 0.7123 },
            literal: false,
            identifier: false,
            importance: 0.4998,
          },
        },
      ],
    });
    expect(await json("archival", "add", "Ada sails")).toEqual({ id: "passage-1", isNew: true });
  });

  it("conversations, personas, humans and models", async () => {
    expect(await json("conversations", "list")).toEqual([
      {
        id: "conversation-1",
        agentId: "agent-main",
        title: null,
        leafId: "message-2",
        preview: "My name is Ada",
        messages: 2,
        createdAt: at,
        updatedAt: at,
      },
    ]);
    expect(await json("conversations", "branches")).toEqual([
      { id: "message-2", preview: "Hello Ada", messages: 2, at, isCurrent: true, forkId: null, ownMessages: 0 },
      {
        id: "message-3",
        preview: "Hello there",
        messages: 2,
        at,
        isCurrent: false,
        forkId: "message-1",
        ownMessages: 1,
      },
    ]);
    expect(await json("personas", "show", "archivist")).toEqual({
      name: "archivist",
      length: 14,
      text: "I file things.",
    });
    expect(await json("humans", "list")).toEqual(
      [{ name: "unknown", length: 22, text: "I know nobody yet." }].map((each) => ({ ...each, length: 18 })),
    );
    expect(await json("models")).toMatchObject({
      model: "demo",
      forms: [
        { form: "demo", key: null, isKeySet: true },
        { form: "anthropic/NAME", key: "ANTHROPIC_API_KEY", isKeySet: true },
        { form: "openai/NAME", key: "OPENAI_API_KEY", isKeySet: false },
        { form: "PATH.gguf", key: null, package: "node-llama-cpp", isInstalled: false },
      ],
      embedders: [{ name: "local/use-lite", dimensions: 512, windowTokens: 128, isReady: true, isUsed: true }],
    });
  });

  it("escapes every control character", async () => {
    const nasty = "\u001b[31m\u009b\u007f\u2028\u202e\ud800";
    const memory = {
      ...runtime.memory,
      show: async () => [{ ...(await runtime.memory.show("main"))[0]!, value: nasty }],
    };
    const { stdout } = await runInWorld(["memory", "show", "--json"], { runtime: { ...runtime, memory } });
    expect(stdout).toContain(String.raw`"\u001b[31m\u009b\u007f\u2028\u202e\ud800"`);
    expect(JSON.parse(stdout)).toMatchObject([{ value: nasty }]);
  });
});

describe("for people", () => {
  it("aligns columns", async () => {
    const lines = (await run("agents", "list")).stdout.split("\n");
    expect(lines[0]).toBe("NAME   OWNER  MODEL  PROTOCOL  MEMORY  MADE (UTC)        ID");
    expect(lines[2]).toBe("scout  local  demo   native    chat    2026-11-21 10:13  agent-scout");
  });

  it("shows core memory, its changes, and hits", async () => {
    expect((await run("memory", "show")).stdout).toBe(
      "human (25/2000 characters, revision 1, yours)\n  Name: Ada\n  Lives in Lisbon\n",
    );
    expect((await run("memory", "history")).stdout).toBe(
      "2026-11-21 10:13  human, revision 1, by model, core_memory_append\n  + Name: Ada\n  + Lives in Lisbon\n",
    );
    expect((await run("memory", "diff")).stdout).toBe("human, revision 0 to 1\n  + Name: Ada\n  + Lives in Lisbon\n");
    expect((await run("recall", "search", "sailing")).stdout).toBe(
      "2026-11-21 10:13  user  message-1\n  I like sailing\nPage 1 of 1, 1 in all.\n",
    );
    expect((await run("recall", "dates", "2026-11-20")).stdout).toBe("Nothing was found.\n");
    expect((await run("personas", "show", "archivist")).stdout).toBe("I file things.\n");
    const { stdout } = await run("models");
    expect(stdout).toContain("OPENAI_API_KEY is not set");
    expect(stdout).toContain(
      "EMBEDDING              WIDTH  WINDOW  RUNS ON       READY  NEEDS\n" +
        "local/use-lite (used)  512    128     this machine  yes    nothing\n\nNew agents use demo",
    );
    expect(stdout).toContain("The window of that model has 8,192 tokens, stated by its server.");
  });

  it("gives advice if the embedder in use is not ready, or its width and window are unknown", async () => {
    const lacking = {
      name: "transformers/\u001b[2Jx",
      dimensions: null,
      windowTokens: null,
      isRemote: true,
      needs: "a folder",
      isReady: false,
      isUsed: true,
    };
    const { stdout } = await runInWorld(["models"], { embedders: async () => [lacking] });
    expect(stdout).toContain(
      "transformers/x (used)  -      -       a server  no     a folder\n`palimpsest doctor` reports",
    );
  });

  it("strips control sequences", async () => {
    const value = "\u001b]0;owned\u0007Ada\u001b[2J";
    const memory = { ...runtime.memory, show: async () => [{ ...(await runtime.memory.show("main"))[0]!, value }] };
    const { stdout } = await runInWorld(["memory", "show"], { runtime: { ...runtime, memory } });
    expect(stdout).toBe("human (25/2000 characters, revision 1, yours)\n  Ada\n");
  });
});

describe("calls of the runtime", () => {
  it.each([
    [
      ["memory", "set", "human", "-", "-a", "scout"],
      ["memory.set", "scout", "human", "from stdin"],
    ],
    [
      ["memory", "history", "human", "--limit", "3"],
      ["memory.revisions", "main", { label: "human", limit: 3 }],
    ],
    [
      ["memory", "undo", "human"],
      ["memory.undo", "main", "human"],
    ],
    [
      ["memory", "show", "human", "--at", "2"],
      ["memory.at", "main", "human", 2],
    ],
    [
      ["memory", "diff", "human", "--from", "0", "--to", "2"],
      ["memory.diff", "main", "human", { from: 0, to: 2 }],
    ],
    [
      ["archival", "list", "--after", "passage-1", "--limit", "3"],
      ["archival.list", "main", { limit: 3, after: "passage-1" }],
    ],
    [
      ["recall", "search", "tea", "--all-branches"],
      ["recall.search", "main", "tea", { page: 0, pageSize: 5, includeAbandoned: true }],
    ],
    [
      ["recall", "dates", "2026-11-20", "--all-branches"],
      [
        "recall.searchDate",
        "main",
        { start: "2026-11-20", end: "2026-11-20" },
        { page: 0, pageSize: 5, includeAbandoned: true },
      ],
    ],
    [
      ["recall", "search", "tea", "--page", "3", "--page-size", "10"],
      ["recall.search", "main", "tea", { page: 2, pageSize: 10 }],
    ],
    [
      ["recall", "dates", "2026-11-20", "2026-11-21"],
      ["recall.searchDate", "main", { start: "2026-11-20", end: "2026-11-21" }, { page: 0, pageSize: 5 }],
    ],
    [
      ["recall", "search", "tea", "--neighbours", "2", "--explain"],
      ["recall.search", "main", "tea", { page: 0, pageSize: 5, neighbours: 2 }],
    ],
    [
      ["archival", "add", "-", "--tag", "a", "--tag", "b, c"],
      ["archival.add", "main", "from stdin", { tags: ["a", "b, c"] }],
    ],
    [
      ["agents", "share", "scout", "grace"],
      ["agents.share", "scout", "grace"],
    ],
    [
      ["agents", "remove", "scout", "--yes"],
      ["agents.delete", "agent-scout"],
    ],
    [
      ["agents", "list", "--tag", "a", "--tag", "b"],
      ["agents.list", { tags: ["a", "b"] }],
    ],
    [
      ["agents", "set", "description", "Plans trips", "tags", '["travel"]', "name", "planner"],
      ["agents.setDetails", "main", { description: "Plans trips", tags: ["travel"], name: "planner" }],
    ],
    [
      ["conversations", "list", "--limit", "2"],
      ["conversations.list", "main", { limit: 2 }],
    ],
    [
      ["keys", "create", "-a", "scout", "--scope", "read", "--name", "laptop"],
      ["keys.create", { agent: "scout", name: "laptop", scope: "read" }],
    ],
    [
      ["keys", "revoke", "key-1"],
      ["keys.revoke", "key-1"],
    ],
    [
      ["restore", "old.backup"],
      ["restore", "old.backup"],
    ],
  ])("%j", async (argv, call) => {
    const asked = createFakeRuntime({ agents: ["main", "scout"] });
    const { exitCode } = await runInWorld(argv, { runtime: asked, input: "from stdin\n" });
    expect(exitCode).toBe(0);
    expect(asked.calls).toEqual([call, ["close"]]);
  });
});

describe("failing listings", () => {
  it.each([
    [["memory", "show", "-a", "nope"], 1, /There is no agent "nope"/u],
    [["memory", "show", "persona"], 2, /has no module "persona"\. It has: human/u],
    [["memory", "show", "--at", "1"], 2, /a module, as in memory show human --at 1/u],
    [["memory", "show", "human", "--at", "x"], 2, /--at: expected a whole number from 0/u],
    [["memory", "diff", "--from", "1"], 2, /a module, as in memory diff human --from 1/u],
    [["memory", "undo", "--revision", "1"], 2, /a module, as in memory undo human --revision 1/u],
    [["memory", "undo", "human", "--revision", "0"], 2, /--revision: expected a whole number from 1/u],
    [["memory", "undo", "human", "--revision", "1"], 1, /revision 1 of "human" \(needed by revisions 2, 3\)/u],
    [["agents", "remove", "scout"], 2, /To confirm, add --yes/u],
    [["archival", "remove", "passage-9", "--yes"], 1, /has no passage passage-9/u],
    [
      ["archival", "remove", "passage-1"],
      2,
      /permanently delete the passage passage-1 of "main"\. To confirm, add --yes/u,
    ],
    [["personas", "show", "archivits"], 1, /Did you mean "archivist"/u],
  ])("%j", async (argv, exitCode, message) => {
    const found = await run(...argv);
    expect(found).toMatchObject({ exitCode, stdout: "" });
    expect(found.stderr).toMatch(message);
  });

  it("listing an agent does not create it", async () => {
    const fresh = createFakeRuntime();
    expect((await runInWorld(["memory", "show"], { runtime: fresh })).exitCode).toBe(1);
    expect(fresh.calls).toEqual([["close"]]);
  });
});

describe("memory undo --force", () => {
  const argv = ["memory", "undo", "human", "--revision", "1", "--force"];
  const forced = ["memory.undo", "main", "human", { revision: 1, force: true }];
  const done = "Reverted revision 3 of human.\nReverted revision 2 of human.\nReverted revision 1 of human.\n";

  it.each([
    ["y\n", [], 0, done],
    ["yes\n", [], 0, done],
    ["\n", [], 1, ""],
    ["no\n", [], 1, ""],
    ["", [], 1, ""],
    ["", ["--yes"], 0, done],
  ])("on a terminal, %j to the question and %j", async (input, more, exitCode, stdout) => {
    const asked = createFakeRuntime({ agents: ["main"] });
    const found = await runInWorld([...argv, ...more], { runtime: asked, input, isTerminal: true });
    expect(found).toMatchObject({ exitCode, stdout });
    expect(found.stderr.includes("also reverts revision 2 of human, 3 of human. Continue? [y/N]")).toBe(
      more.length === 0,
    );
    expect(asked.calls.filter((call) => JSON.stringify(call) === JSON.stringify(forced))).toHaveLength(1 - exitCode);
  });

  it("does not ask without a terminal", async () => {
    const asked = createFakeRuntime({ agents: ["main"] });
    expect(await runInWorld(argv, { runtime: asked })).toMatchObject({ exitCode: 0, stdout: done, stderr: "" });
  });
});

describe("backup", () => {
  it("writes to a new file only", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "palimpsest-backup-"));
    const [old, fresh] = [path.join(folder, "old"), path.join(folder, "new")];
    await writeFile(old, "");
    expect(await run("backup", old)).toMatchObject({ exitCode: 2, stdout: "" });
    expect(await run("backup", fresh)).toMatchObject({ exitCode: 0, stdout: `Wrote ${fresh}.\n` });
    await rm(folder, { recursive: true });
  });

  it("and restore report the objects that the file does not contain", async () => {
    const file = path.join(tmpdir(), "palimpsest-backup-that-is-never-written");
    const external = [{ backend: "folder", objects: 3, bytes: 1_200_000 }];
    for (const [argv, before] of [
      [["backup", file], "The file does not contain the content of "],
      [["restore", file], "The rows name "],
    ] as const) {
      const { stderr } = await runInWorld(argv, { runtime: createFakeRuntime({ external }) });
      expect(stderr).toContain(`${before}3 objects in "folder" (1.2 MB)`);
    }
  });
});
