// Tools of a folder of modules: what is loaded, and what is wrong with each file that cannot be.
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { useFolder } from "../support/folders.ts";

const runtimes = useRuntimes();
const folder = useFolder();
let folders = 0;

/** A folder of its own with these files. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const made = path.join(folder, `${(folders += 1)}`);
  await mkdir(path.join(made, "below"), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(made, name), text);
  return made;
}

const definition = (name: string, more = "") =>
  `{ name: "${name}", description: "Says ${name}.", parameters: { type: "object", properties: { word: { type: "string" } } },
     run: ({ word }) => "${name} " + word${more} }`;

test("each file's tools are offered to every agent and run, with what the files share left alone", async () => {
  const toolsFolder = await folderOf({
    "one.mjs": `import { shared } from "./_shared.mjs";\nexport default ${definition("one", ", approval: false")};\nexport const helper = shared;`,
    "several.mjs": `export const two = ${definition("two")};\nexport const three = ${definition("three")};`,
    "_shared.mjs": "export const shared = 1;",
    "notes.md": "no module",
    "types.d.ts": "export {};",
    "below/four.mjs": "throw new Error('not loaded');",
  });
  const calls = ["one", "two", "three"].map((name) => ({ name, arguments: { word: "hi" } }));
  const model = createScriptedModel({ replies: [{ toolCalls: calls }, { text: "done" }] });
  const lookup = defineTool({
    name: "lookup",
    description: "Looks up.",
    parameters: { type: "object" },
    run: () => "",
  });
  const options = { model: "scripted", models: [model], toolsFolder, tools: { add: [lookup] } };
  const runtime = await runtimes.open(options);
  const agent = await runtime.agents.open("main", { create: { human: "" } });
  expect(agent.tools.slice(-4)).toEqual(["lookup", "one", "three", "two"]);
  const events = await drain(agent.send("go"));
  const results = events.flatMap((event) => (event.type === "tool-result" ? [event.text] : []));
  expect(results).toEqual(["one hi", "two hi", "three hi"]);
});

test("everything that is wrong is in one error, by file and export, and nothing is opened", async () => {
  const toolsFolder = await folderOf({
    "a-good.mjs": `export default ${definition("good")};`,
    "b-same.mjs": `export default ${definition("good")};`,
    "c-empty.mjs": "",
    "d-broken.mjs": "export default {",
    "e-throws.mjs": "throw new Error('no network');",
    "f-number.mjs": "export default 5;",
    "g-several.mjs": `export const fine = ${definition("fine")};\nexport const wrong = { name: "wrong", description: "x", execute() {} };`,
    "h-class.mjs": "export default class Weather {}",
    "i-name.mjs": `export default ${definition("no good")};`,
    "j-program.mjs": `export default ${definition("lookup")};`,
  });
  const lookup = defineTool({
    name: "lookup",
    description: "Looks up.",
    parameters: { type: "object" },
    run: () => "",
  });
  const error: unknown = await runtimes
    .open({ toolsFolder, tools: { add: [lookup] } })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "config_invalid", field: "toolsFolder" });
  const lines = (error as Error).message.replace(/^.*? has faults \(|\)\.$/gu, "").split("; ");
  expect(lines).toEqual([
    'b-same.mjs, export "default": expected a new name, got "good", the name of a-good.mjs, export "default"',
    "c-empty.mjs: expected an export of a tool, got none",
    expect.stringMatching(/^d-broken\.mjs cannot be loaded: /u),
    "e-throws.mjs cannot be loaded: no network",
    expect.stringMatching(/^f-number\.mjs, export "default": expected a tool of defineTool.*got the number \d+$/u),
    expect.stringMatching(/^g-several\.mjs, export "wrong": .*`execute`. Use `run`/u),
    expect.stringMatching(/^h-class\.mjs, export "default": .*got the class Weather$/u),
    expect.stringMatching(/^i-name\.mjs, export "default": .*1 to 64 letters/u),
    expect.stringMatching(
      /^j-program\.mjs, export "default": expected a new name, got "lookup", the name of `tools` of the program$/u,
    ),
  ]);
});

test("a folder that is missing, a file, or without modules is refused", async () => {
  const missing = path.join(folder, "missing");
  await expect(runtimes.open({ toolsFolder: missing })).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringMatching(/a folder that can be read, got .*missing.*ENOENT/u),
  });
  const file = path.join(await folderOf({ "a.mjs": "" }), "a.mjs");
  await expect(runtimes.open({ toolsFolder: file })).rejects.toMatchObject({
    message: expect.stringContaining("ENOTDIR"),
  });
  await expect(runtimes.open({ toolsFolder: await folderOf({ "a.txt": "" }) })).rejects.toMatchObject({
    message: expect.stringContaining("has no file that ends in .js, .mjs or .ts"),
  });
});

test("a tool with the name of a built-in one is refused when an agent is opened", async () => {
  const toolsFolder = await folderOf({ "a.mjs": `export default ${definition("conversation_search")};` });
  const runtime = await runtimes.open({ model: "demo", toolsFolder });
  await expect(runtime.agents.open("other", { create: { human: "" } })).rejects.toMatchObject({
    code: "tool_definition_invalid",
    message: expect.stringContaining('Two tools are named "conversation_search"'),
  });
});

/** Runs the built program, as a user does. */
function palimpsest(args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const { PATH, NODE_OPTIONS } = process.env;
  const env = { PATH, NODE_OPTIONS, HOME: folder };
  const program = ["dist/program/palimpsest.js", ...args, "--data-dir", path.join(folder, "data"), "--model", "demo"];
  return new Promise((resolve) => {
    execFile(process.execPath, program, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` }),
    );
  });
}

describe("on the command line", () => {
  test("--tools loads the folder for a prompt", async () => {
    const loaded = `import { writeFileSync } from "node:fs";\nwriteFileSync(new URL("loaded", import.meta.url), "");\n`;
    const toolsFolder = await folderOf({ "a.mjs": `${loaded}export default ${definition("one")};` });
    const { code, output } = await palimpsest(["-p", "hello", "--tools", toolsFolder]);
    expect([code, output]).toEqual([0, expect.any(String)]);
    await rm(path.join(toolsFolder, "loaded"));
  });

  test("a fault is a usage error that names the flag, and TypeScript runs where Node allows it", async () => {
    const toolsFolder = await folderOf({ "a.ts": `const name: string = "one";\nexport default ${definition("one")};` });
    const { code, output } = await palimpsest(["-p", "hello", "--tools", toolsFolder]);
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    if (major > 22 || (major === 22 && minor >= 18)) {
      expect([code, output]).toEqual([0, expect.any(String)]);
      return;
    }
    expect([code, output]).toEqual([
      2,
      expect.stringMatching(/Expected --tools.*a\.ts cannot be loaded: Node [\d.]+ does not run/u),
    ]);
  });
});
