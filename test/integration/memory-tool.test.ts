// Anthropic's memory tool on an agent's memory: through the official SDK's tool runner against a scripted Messages API, through
// the runtime, and as a tool of an agent. Expected texts are those of platform.claude.com, "Memory tool", "Tool commands".
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { memoryToolHandlers, type SentMemoryCommand } from "../../src/exports/memory-tool.ts";
import { toAnthropicRequest } from "../../src/model/llm/anthropic/to-request.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Store } from "../../src/store/port/store.ts";
import { openTestStore } from "../support/database.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
let names = 0;

async function agentOf(human = "Name: Ada"): Promise<{ runtime: Runtime; agent: string }> {
  names += 1;
  const runtime = await runtimes.open({ model: "scripted", models: [createScriptedModel({ replies: [] })] });
  const { name } = await runtime.agents.create({ name: `files-${names}`, human, persona: "" });
  return { runtime, agent: name };
}

type Command = Parameters<Runtime["memoryFiles"]["command"]>[1];

async function commandsOf(human?: string) {
  const { runtime, agent } = await agentOf(human);
  const run = async (command: Command) => runtime.memoryFiles.command(agent, command);
  const text = async (command: Command) => (await run(command)).text;
  const create = (path: string, file_text = "x") => text({ command: "create", path, file_text });
  const view = (path: string) => text({ command: "view", path });
  return { runtime, agent, run, text, create, view };
}

const numbered = (path: string, ...lines: readonly string[]) =>
  [`Here's the content of ${path} with line numbers:`, ...lines].join("\n");

/** A Messages API whose replies call the memory tool with the commands, one after the other. */
async function runTool(runtime: Runtime, agent: string, commands: readonly SentMemoryCommand[]) {
  const results: { content: unknown; is_error?: boolean }[] = [];
  const tools: unknown[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const sent = JSON.parse(body) as { tools: unknown[]; messages: { content: unknown }[] };
      tools.push(sent.tools);
      const last = sent.messages.at(-1)!.content;
      if (Array.isArray(last)) results.push(last[0] as { content: unknown });
      const input = commands[results.length];
      const content =
        input === undefined
          ? [{ type: "text", text: "Done." }]
          : [{ type: "tool_use", id: `toolu_${results.length}`, name: "memory", input }];
      response.setHeader("content-type", "application/json");
      const stop_reason = input === undefined ? "end_turn" : "tool_use";
      const usage = { input_tokens: 1, output_tokens: 1 };
      response.end(
        JSON.stringify({ id: "msg_1", type: "message", role: "assistant", model: "m", content, stop_reason, usage }),
      );
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new Anthropic({ apiKey: "key", baseURL, maxRetries: 0 });
    await client.beta.messages.toolRunner({
      model: "claude-opus-4-8",
      max_tokens: 100,
      messages: [{ role: "user", content: "Go" }],
      tools: [betaMemoryTool(memoryToolHandlers(runtime.memoryFiles, agent))],
    });
  } finally {
    server.close();
  }
  return { results, tools };
}

test("the SDK's tool runner works on an agent's memory, with the documented texts", async () => {
  const { runtime, agent } = await agentOf();
  const path = "/memories/notes.txt";
  const { results, tools } = await runTool(runtime, agent, [
    { command: "view", path: "/memories" },
    { command: "create", path, file_text: "Blue\nBlue boat\n" },
    { command: "create", path, file_text: "again" },
    { command: "view", path: "/memories/none.txt" },
    { command: "str_replace", path, old_str: "Blue", new_str: "Red" },
    { command: "str_replace", path, old_str: "Green", new_str: "Red" },
    { command: "str_replace", path, old_str: "Blue boat", new_str: "Red boat" },
    { command: "insert", path, insert_line: 9, insert_text: "x" },
    { command: "insert", path, insert_line: 0, insert_text: "First\n" },
    { command: "insert", path: "/memories/none.txt", insert_line: 0, insert_text: "x" },
    { command: "view", path },
    { command: "rename", old_path: path, new_path: "/memories/human.md" },
    { command: "rename", old_path: path, new_path: "/memories/kept/notes.txt" },
    { command: "delete", path: "/memories/kept" },
    { command: "delete", path: "/memories/kept" },
    { command: "delete", path: "/memories" },
  ]);
  expect(tools[0]).toEqual([{ type: "memory_20250818", name: "memory" }]);
  expect(results.map(({ content, is_error = false }) => [content, is_error])).toEqual([
    [
      "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n9B\t/memories\n9B\t/memories/human.md",
      false,
    ],
    ["File created successfully at: /memories/notes.txt", false],
    ["Error: File /memories/notes.txt already exists", true],
    ["The path /memories/none.txt does not exist. Please provide a valid path.", true],
    [
      "No replacement was performed. Multiple occurrences of old_str `Blue` in lines: 1, 2. Please ensure it is unique",
      true,
    ],
    ["No replacement was performed, old_str `Green` did not appear verbatim in /memories/notes.txt.", true],
    [
      "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tBlue\n     2\tRed boat\n     3\t",
      false,
    ],
    ["Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 3]", true],
    ["The file /memories/notes.txt has been edited.", false],
    ["Error: The path /memories/none.txt does not exist", true],
    [numbered(path, "     1\tFirst", "     2\tBlue", "     3\tRed boat", "     4\t"), false],
    ["Error: The destination /memories/human.md already exists", true],
    ["Successfully renamed /memories/notes.txt to /memories/kept/notes.txt", false],
    ["Successfully deleted /memories/kept", false],
    ["Error: The path /memories/kept does not exist", true],
    ["Error: Cannot delete the /memories directory itself", true],
  ]);
  // What was deleted stays in the archive.
  const { hits } = await runtime.archival.search(agent, "Red boat");
  expect(hits[0]).toMatchObject({ text: "Deleted file kept/notes.txt\nFirst\nBlue\nRed boat\n", trust: "external" });
});

test("an edit of a module is a revision of the program that can be undone", async () => {
  const { runtime, agent, text, view } = await commandsOf("Name: Ada\nLikes tea");
  await text({ command: "str_replace", path: "/memories/human.md", old_str: "tea", new_str: "rum" });
  const [revision] = await runtime.memory.revisions(agent);
  expect(revision).toMatchObject({ label: "human", origin: "api", client: "memory tool", trust: "external" });
  const [, human] = await runtime.memory.show(agent);
  expect(human!.lineTrust).toEqual(["user", "external"]);
  await runtime.memory.undo(agent, "human");
  expect(await view("/memories/human.md")).toBe(
    numbered("/memories/human.md", "     1\tName: Ada", "     2\tLikes tea"),
  );
});

test("a deleted module is empty and in the archive, and can be created again", async () => {
  const { runtime, agent, text, create, view } = await commandsOf();
  expect(await text({ command: "delete", path: "/memories/human.md" })).toBe("Successfully deleted /memories/human.md");
  expect(await view("/memories/human.md")).toMatch(/does not exist/u);
  expect((await runtime.archival.list(agent)).map(({ text: kept }) => kept)).toEqual([
    "Deleted file human.md\nName: Ada",
  ]);
  expect(await create("/memories/human.md", "Name: Bo")).toMatch(/created/u);
  expect((await runtime.memory.show(agent))[1]!.value).toBe("Name: Bo");
});

test("passages are files of the archive: viewed, edited, renamed, and never deleted", async () => {
  const { runtime, agent, text, view } = await commandsOf();
  const at = new Date("2026-03-01T23:30:00Z");
  await runtime.archival.add(agent, "The boat is blue.", { at, tags: ["boat"] });
  const [file] = (await runtime.memoryFiles.list(agent)).filter(({ kind }) => kind === "passage");
  const path = `/memories/${file!.path}`;
  expect(file!.path).toMatch(/^archive\/2026-03-01-the-boat-is-blue-[0-9a-f]{8}\.md$/u);
  expect(await view("/memories")).toContain(`\n17B\t/memories/archive/\n17B\t${path}`);
  expect(await view(path)).toBe(numbered(path, "     1\tThe boat is blue."));
  expect(await text({ command: "delete", path })).toBe(
    `Error: ${path} is a passage of archival memory and cannot be deleted with this tool.`,
  );
  await text({ command: "str_replace", path, old_str: "blue", new_str: "red" });
  const edited = (await runtime.memoryFiles.list(agent)).filter(({ kind }) => kind === "passage");
  expect(edited).toMatchObject([{ text: "The boat is red.", tags: ["boat"], trust: "external" }]);
  const now = `/memories/${edited[0]!.path}`;
  expect(await text({ command: "rename", old_path: now, new_path: "/memories/boat.md" })).toMatch(/^Successfully/u);
  expect((await runtime.memoryFiles.list(agent)).map((one) => [one.path, one.kind, one.text])).toEqual([
    ["boat.md", "file", "The boat is red."],
    ["human.md", "module", "Name: Ada"],
    ["persona.md", "module", ""],
  ]);
});

test.each([
  "/etc/passwd",
  "/memories/../secret",
  "/memories/a/../../b",
  "/memories/%2e%2e/b",
  "/memories/a\\..\\b",
  "/memories//a",
  "/memories/a\u0000b",
  "/memoriesother/a",
  `/memories/${"a".repeat(191)}`,
])("the path %j is refused", async (path) => {
  const { run } = await commandsOf();
  expect(await run({ command: "create", path, file_text: "x" })).toEqual({
    text: expect.stringMatching(/^Error: Path /u) as string,
    isError: true,
  });
});

test("a file cannot hide another one: same name in another case, a folder as a file, a file as a folder", async () => {
  const { create } = await commandsOf();
  await create("/memories/a/notes.txt");
  for (const path of ["/memories/A/Notes.txt", "/memories/a", "/memories/a/notes.txt/b"])
    expect(await create(path)).toBe("Error: File /memories/a/notes.txt already exists");
  expect(await create("/memories/HUMAN.md")).toBe("Error: File /memories/human.md already exists");
});

test("texts keep every character: empty, CRLF, no line break at the end, two files of one text", async () => {
  const { runtime, agent, create, text } = await commandsOf();
  const texts = {
    "a.txt": "",
    "b.txt": "one\r\ntwo\r\n",
    "c.txt": "é\u{1F6A2}\n\n",
    "d.txt": "one\r\ntwo\r\n",
    "e.txt": " ",
  };
  for (const [path, file] of Object.entries(texts)) await create(`/memories/${path}`, file);
  const listed = async () =>
    Object.fromEntries((await runtime.memoryFiles.list(agent)).map((one) => [one.path, one.text]));
  expect(await listed()).toMatchObject(texts);
  await text({ command: "insert", path: "/memories/d.txt", insert_line: 1, insert_text: "x" });
  expect(await listed()).toMatchObject({ ...texts, "d.txt": "one\r\nx\ntwo\r\n" });
  await text({ command: "delete", path: "/memories/d.txt" });
  await create("/memories/d.txt", "one\r\nx\ntwo\r\n");
  expect(await listed()).toMatchObject({ ...texts, "d.txt": "one\r\nx\ntwo\r\n" });
});

test("a folder is shown with sizes, two levels deep, without hidden items, and can be renamed", async () => {
  const { create, view, text } = await commandsOf("");
  await create("/memories/p/q/deep.txt", "x".repeat(1536));
  await create("/memories/p/a.txt", "abc");
  await create("/memories/.hidden", "h");
  await create("/memories/node_modules/m.txt", "h");
  const head = "Here're the files and directories up to 2 levels deep in";
  expect(await view("/memories/")).toBe(
    `${head} /memories, excluding hidden items and node_modules:\n1.5K\t/memories\n1.5K\t/memories/p/\n3B\t/memories/p/a.txt\n1.5K\t/memories/p/q/`,
  );
  await text({ command: "rename", old_path: "/memories/p", new_path: "/memories/r" });
  expect(await view("/memories/r")).toContain("\t/memories/r/q/deep.txt");
  expect(await view("/memories/p")).toMatch(/does not exist/u);
  expect(await text({ command: "view", path: "/memories/r/a.txt", view_range: [2, -1] })).toBe(
    "Here's the content of /memories/r/a.txt with line numbers:",
  );
});

test("limits, read-only modules and missing fields are errors for the model", async () => {
  const { runtime, agent, run, text } = await commandsOf();
  expect(
    await text({ command: "insert", path: "/memories/human.md", insert_line: 1, insert_text: "x".repeat(9000) }),
  ).toMatch(/limit/u);
  const module = await runtime.modules.create({ label: "fixed", value: "Stay.", readOnly: true });
  await runtime.modules.attach(agent, module.id);
  for (const command of [
    { command: "delete", path: "/memories/fixed.md" },
    { command: "rename", old_path: "/memories/fixed.md", new_path: "/memories/b.md" },
    { command: "create", path: "/memories/c.md" },
    { command: "create", path: "/memories/huge.txt", file_text: "x".repeat(1_000_001) },
  ] as const)
    expect((await run(command)).isError).toBe(true);
  expect((await runtime.archival.list(agent)).length).toBe(0);
});

test("two programs that edit one file at once both keep their lines", async () => {
  const { runtime, agent, text, create } = await commandsOf("start");
  await create("/memories/log.txt", "start");
  const edits = ["/memories/log.txt", "/memories/human.md"].flatMap((path) =>
    Array.from({ length: 8 }, (_, at) => text({ command: "insert", path, insert_line: 1, insert_text: `line ${at}` })),
  );
  await Promise.all(edits);
  const files = await runtime.memoryFiles.list(agent);
  for (const path of ["log.txt", "human.md"]) {
    const lines = files.find((file) => file.path === path)!.text.split("\n");
    expect(lines.toSorted()).toEqual([...Array.from({ length: 8 }, (_, at) => `line ${at}`), "start"]);
  }
});

test("a text that is forgotten while a command or a write runs is not stored again", async () => {
  const opened = await openTestStore();
  let forget: (() => Promise<unknown>) | null = null;
  const as: Store["as"] = (userId) => {
    const user = opened.store.as(userId);
    const replace: typeof user.passages.replace = async (...given) => {
      const due = forget;
      forget = null;
      await due?.();
      return user.passages.replace(...given);
    };
    return { ...user, passages: { ...user.passages, replace } };
  };
  const model = createScriptedModel({ replies: [] });
  const options = { model: "scripted", models: [model], embedder: null };
  const runtime = await composeRuntime(options, { store: { ...opened.store, as } });
  const { name } = await runtime.agents.create({ name: "main", human: "", persona: "" });
  const text = "Ask Karin Dahl.\nAsk Bo Ek.";
  await runtime.memoryFiles.write(name, "notes.txt", { text, version: null });
  const read = async () => (await runtime.memoryFiles.list(name)).find((file) => file.path === "notes.txt")!;
  forget = () => runtime.forget.apply({ texts: ["Karin Dahl"] });
  const inserted = { command: "insert", path: "/memories/notes.txt", insert_line: 2, insert_text: "Buy tea." } as const;
  expect(await runtime.memoryFiles.command(name, inserted)).toMatchObject({ isError: false });
  expect((await read()).text).toBe("Ask [forgotten].\nAsk Bo Ek.\nBuy tea.");
  const { version } = await read();
  forget = () => runtime.forget.apply({ texts: ["Bo Ek"] });
  const written = runtime.memoryFiles.write(name, "notes.txt", { text: "Ask Bo Ek twice.", version });
  await expect(written).rejects.toMatchObject({ code: "revision_conflict" });
  expect(JSON.stringify(await runtime.archival.list(name))).not.toMatch(/Karin|Bo Ek/u);
  await runtime.close();
  await opened.close();
});

test("an agent has the tool by its setting; Claude gets it by its type, other models by its schema", async () => {
  const call = (args: object) => ({ toolCalls: [{ name: "memory", arguments: args }] });
  const model = createScriptedModel({
    replies: [
      call({ command: "create", path: "/memories/plan.md", file_text: "Sail." }),
      call({ command: "view", path: "/memories/plan.md" }),
      call({ command: "create", path: "/memories/plan.md", file_text: "Again." }),
      { text: "Done." },
    ],
  });
  const runtime = await runtimes.open({ model: "scripted", models: [model] });
  const agent = await runtime.agents.open("with-files", { create: { settings: { addedTools: ["memory"] } } });
  const events = await drain(agent.send("go"));
  const results = events.flatMap((event) => (event.type === "tool-result" ? [`${event.status}: ${event.text}`] : []));
  expect(results).toEqual([
    "ok: File created successfully at: /memories/plan.md",
    `ok: ${numbered("/memories/plan.md", "     1\tSail.")}`,
    "failed: Error: File /memories/plan.md already exists",
  ]);
  expect(await runtime.memoryFiles.list("with-files")).toMatchObject([{}, {}, { path: "plan.md", trust: "model" }]);
  const request = model.requests[0]!;
  const toolsFor = (name: string) => toAnthropicRequest(request, { model: name, origin: name }).tools!;
  const memory = toolsFor("claude-opus-4-8").find((tool) => "name" in tool && tool.name === "memory");
  expect(memory).toMatchObject({ type: "memory_20250818", name: "memory" });
  expect(memory).not.toHaveProperty("input_schema");
  expect(toolsFor("claude-3-5-haiku").find((tool) => "name" in tool && tool.name === "memory")).toHaveProperty(
    "input_schema",
  );
});

test("a text from outside that the tool shows lowers the trust of what the call writes afterwards", async () => {
  const call = (args: object) => ({ toolCalls: [{ name: "memory", arguments: args }] });
  const replies = [
    call({ command: "view", path: "/memories/mail.txt" }),
    call({ command: "create", path: "/memories/copy.txt", file_text: "Copied." }),
    { text: "Done." },
  ];
  const runtime = await runtimes.open({ model: "scripted", models: [createScriptedModel({ replies })] });
  const agent = await runtime.agents.open("outside", { create: { settings: { addedTools: ["memory"] } } });
  await runtime.memoryFiles.command("outside", {
    command: "create",
    path: "/memories/mail.txt",
    file_text: "From a mail.",
  });
  await drain(agent.send("go"));
  const files = await runtime.memoryFiles.list("outside");
  expect(files.find(({ path }) => path === "copy.txt")).toMatchObject({ trust: "external" });
});

test("a file is written only from its version, and its history ends with the files", async () => {
  const { runtime, agent } = await agentOf();
  const { memoryFiles } = runtime;
  const written = await memoryFiles.write(agent, "notes.txt", { text: "One.", version: null });
  await expect(memoryFiles.write(agent, "notes.txt", { text: "Two.", version: null })).rejects.toThrow(/concurrently/u);
  const second = await memoryFiles.write(agent, "notes.txt", { text: "Two.", version: written.version });
  await expect(memoryFiles.write(agent, "notes.txt", { text: null, version: written.version })).rejects.toThrow();
  const human = (await memoryFiles.list(agent)).find(({ path }) => path === "human.md")!;
  const changed = await memoryFiles.write(agent, "human.md", { text: "Name: Bo", version: human.version });
  await expect(memoryFiles.write(agent, "human.md", { text: "Name: Cy", version: human.version })).rejects.toThrow(
    /concurrently/u,
  );
  await expect(memoryFiles.write(agent, "human.md", { text: null, version: changed.version })).rejects.toThrow(
    /Expected a text/u,
  );
  await expect(memoryFiles.write(agent, "../x", { text: "x", version: null })).rejects.toThrow(/relative path/u);
  await memoryFiles.write(agent, "notes.txt", { text: null, version: second.version });
  const kept = (await runtime.archival.list(agent, { limit: 1 }))[0]!;
  expect(kept).toMatchObject({ text: "Deleted file notes.txt\nTwo.", trust: "user" });
  const tree = new Map<string, string>();
  for (const { path, text } of await memoryFiles.history(agent))
    if (text === null) tree.delete(path);
    else tree.set(path, text);
  const files = (await memoryFiles.list(agent)).map(({ path, text }) => [path, text] as const);
  expect(new Map([...tree].toSorted())).toEqual(new Map(files));
});
