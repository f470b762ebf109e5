// Mistakes in the options of a runtime, and in definitions of tools and memory classes.
import { z } from "zod";
import type { ChatMemoryOptions } from "../../../src/exports/index.ts";
import { MessageBuffer } from "../../../src/exports/buffer.ts";
import { QueryPlanner } from "../../../src/exports/query-planner.ts";
import { createScriptedModel } from "../../../src/exports/testing.ts";
import { WorkingMemory } from "../../../src/exports/working-memory.ts";
import * as palimpsest from "../../../src/exports/index.ts";
import { codes, type Mistake } from "./mistake.ts";

const { ChatMemory, createHost, createRuntime, defineTool, MemoryModule } = palimpsest;
const { config, input, ofTool, ofMemory } = codes;

const tool = defineTool({ name: "noop", description: "Does nothing.", parameters: z.object({}), run: () => "" });
const plainTool = { name: "noop", description: "Does nothing.", parameters: z.object({}), execute: () => "" };

class NeedyMemory extends ChatMemory {
  static override readonly type = "needy";

  constructor({ human }: ChatMemoryOptions) {
    super({ human: human!.trim() });
  }
}

class Untyped extends palimpsest.BaseMemory {}

class OddToolsMemory extends ChatMemory {
  static override readonly type = "odd-tools";

  override tools() {
    return [...super.tools(), plainTool as never];
  }
}

class TaskMemory extends ChatMemory {
  static override readonly type = "task-mistakes";
}

/** Calls as a program without types makes them. */
const create =
  (options: object | undefined): Mistake[1] =>
  ({ place }) =>
    createRuntime(options === undefined ? (undefined as never) : { ...place, ...options });
export const mistakenOptions: readonly Mistake[] = [
  ["createRuntime()", create(undefined), config, "options", /createRuntime: expected `options`.*`dataDir`/],
  ["no location", () => createRuntime({}), config, "dataDir", /`dataDir`.*`databaseUrl` or `pool`/],
  ["modle", create({ modle: "x" }), config, "modle", /unknown option `modle`. Did you mean `model`/],
  ["apiKey", create({ apiKey: "x" }), config, "apiKey", /unknown option `apiKey`. Use `openaiApiKey`/],
  ["baseURL", create({ baseURL: "http://localhost" }), config, "baseURL", /Use `baseUrl`/],
  ["systemPrompt", create({ systemPrompt: "x" }), config, "systemPrompt", /belongs to an agent/],
  ["a model that no provider has", create({ embedding: 5 }), config, "embedding", /embedding: expected .*got 5/],
  [
    "two models of which none is named",
    create({ models: ["one", "two"].map((name) => createScriptedModel({ name, replies: [] })) }),
    config,
    "model",
    /Expected `model`.*"one", "two"/,
  ],
  [
    "tools: [t]",
    create({ tools: [tool] }),
    ofTool,
    "tools",
    /`tools` to be an object.*got an array. Pass tools: \{ add: \[…\] \}/,
  ],
  ["tools: t", create({ tools: tool }), ofTool, "tools", /Pass tools: \{ add: \[tool\] \}/],
  ["tools: { adds }", create({ tools: { adds: [tool] } }), ofTool, "tools.adds", /Did you mean `add`/],
  ["add: t", create({ tools: { add: tool } }), ofTool, "tools.add", /an array.*`add: \[tool\]`/],
  ["a plain object as a tool", create({ tools: { add: [plainTool] } }), ofTool, "tools.add[0]", /a tool.*defineTool\(/],
  [
    "a function as a tool",
    create({ tools: { add: [() => tool] } }),
    ofTool,
    "tools.add[0]",
    /If it returns a tool, call it/,
  ],
  [
    "a promised tool",
    create({ tools: { add: [Promise.resolve(tool)] } }),
    ofTool,
    "tools.add[0]",
    /a Promise \(await it\)/,
  ],
  [
    "replace by a plain object",
    create({ tools: { replace: { send_message: plainTool } } }),
    ofTool,
    "tools.replace.send_message",
    /a tool/,
  ],
  ["models: a name", create({ models: "openai/x" }), config, "models", /an array, got a string.*`model` names/],
  ["models: [a name]", create({ models: ["openai/x"] }), config, "models[0]", /use `model: "…"`/],
  [
    "a model without a window",
    create({ models: [{ name: "m", stream: () => [] }] }),
    config,
    "models[0]",
    /valid `contextWindow`/,
  ],
  ["embedder: a name", create({ embedder: "openai/x" }), config, "embedder", /use `embedding: "…"`/],
  [
    "an embedder without close",
    create({ embedder: { name: "e", dimensions: 3, embed: () => [] } }),
    config,
    "embedder",
    /valid `close`/,
  ],
  [
    "an embedder without dimensions",
    create({ embedders: [{ name: "e", embed: () => [], close: () => undefined }] }),
    config,
    "embedders[0]",
    /valid `dimensions`/,
  ],
  ["log: console", create({ log: console }), config, "log", /`log` to be a function/],
  [
    "memoryClasses: C",
    create({ memoryClasses: TaskMemory }),
    config,
    "memoryClasses",
    /`memoryClasses: \[YourMemory\]`/,
  ],
  [
    "an instance in memoryClasses",
    create({ memoryClasses: [new TaskMemory()] }),
    ofMemory,
    "memoryClasses[0]",
    /an instance of TaskMemory. Pass the class itself/,
  ],
  [
    "a class that needs its init",
    create({ memoryClasses: [NeedyMemory] }),
    ofMemory,
    "memoryClasses[0]",
    /constructor of NeedyMemory must accept empty options.*default/,
  ],
  [
    "a class without a type",
    create({ memoryClasses: [Untyped] }),
    ofMemory,
    "memoryClasses[0]",
    /Untyped has no type of its own.*static override readonly type/,
  ],
  [
    "a class with a plain tool",
    create({ memoryClasses: [OddToolsMemory] }),
    ofTool,
    "OddToolsMemory.tools()[3]",
    /a tool/,
  ],
  [
    "userId of a host",
    ({ place }) => createHost({ ...place, userId: "a" } as never),
    config,
    "userId",
    /host\.forUser\(userId\)/,
  ],
];

const embedder = { name: "e", dimensions: 3, embed: () => [], close: () => undefined };
const countTokens = () => 1;

export const mistakenDefinitions: readonly Mistake[] = [
  [
    "a plain object as a module",
    () => new palimpsest.BaseMemory({ modules: [{ label: "x" } as never] }),
    ofMemory,
    "module",
    /a MemoryModule, got an object with `label`/,
  ],
  [
    "ScratchpadMemory with an unknown option",
    () => new palimpsest.ScratchpadMemory({ scratchpd: {} } as never),
    ofMemory,
    "scratchpd",
    /Did you mean `scratchpad`/,
  ],
  [
    "MessageBuffer with an unknown option",
    () => new MessageBuffer({ sise: 3 } as never),
    config,
    "sise",
    /Did you mean `size`/,
  ],
  [
    "MessageBuffer with a name as embedder",
    () => new MessageBuffer({ embedder: "openai/x" } as never),
    config,
    "embedder",
    /an embedder, got a string/,
  ],
  [
    "a search of a buffer without a query",
    () => new MessageBuffer().search(undefined as never),
    input,
    "query",
    /`query` to be a string/,
  ],
  ["new WorkingMemory()", () => new WorkingMemory(undefined as never), config, "options", /an object with `embedder`/],
  [
    "WorkingMemory with an unknown option",
    () => new WorkingMemory({ embedder, maxMemory: 3 } as never),
    config,
    "maxMemory",
    /Did you mean `maxMemoryMb`/,
  ],
  [
    "a search of working memory without a user",
    () => new WorkingMemory({ embedder: null }).search("x", undefined as never),
    input,
    "options",
    /an object with `user`/,
  ],
  [
    "QueryPlanner without sources",
    () => new QueryPlanner({ countTokens } as never),
    config,
    "sources",
    /a plain object, got undefined/,
  ],
  [
    "a source of a planner that is no function",
    () => new QueryPlanner({ countTokens, sources: { files: {} } } as never),
    config,
    "sources.files",
    /a function, got an empty object/,
  ],
  [
    "texts as replies of a scripted model",
    () => createScriptedModel({ replies: ["Hello"] as never }),
    config,
    "replies[0]",
    /an object with `thought`, `text`/,
  ],
  [
    "content in a reply of a scripted model",
    () => createScriptedModel({ replies: [{ content: "Hello" } as never] }),
    config,
    "replies[0].content",
    /Use `text`/,
  ],
  [
    "loadConfig(process.env)",
    () => palimpsest.loadConfig(process.env as never),
    config,
    "options",
    /`file`, `flags`, `env`/,
  ],
  [
    "loadConfig with an unknown option",
    () => palimpsest.loadConfig({ path: "x" } as never),
    config,
    "path",
    /Expected one of `file`/,
  ],

  [
    "a tool without a description",
    () => defineTool({ ...plainTool, execute: undefined, run: () => "", description: undefined } as never),
    ofTool,
    "execute",
    /Use `run`/,
  ],
  [
    "z.date() in a schema",
    () => defineTool({ name: "t", description: "d", parameters: z.object({ due: z.date() }), run: () => "" }),
    ofTool,
    "parameters.due",
    /"due" of tool "t".*dates/,
  ],
  [
    "a module without a label",
    () => new MemoryModule({ value: "x" } as never),
    ofMemory,
    "label",
    /`label` to be a string/,
  ],
  [
    "a module with an unknown option",
    () => new MemoryModule({ label: "x", maxLength: 3 } as never),
    ofMemory,
    "maxLength",
    /Use `limit`/,
  ],
  ["new ChatMemory(text)", () => new ChatMemory("I am Ada" as never), ofMemory, "options", /an object with `persona`/],
  [
    "ChatMemory with an unknown option",
    () => new ChatMemory({ user: "Ada" } as never),
    ofMemory,
    "user",
    /Use `human`/,
  ],
];
