// Mistakes in the options of a runtime, and in definitions of tools and memory classes.
import { z } from "zod";
import type { ChatMemoryOptions } from "../../../src/exports/index.ts";
import { MessageBuffer } from "../../../src/exports/buffer.ts";
import { QueryPlanner } from "../../../src/exports/query-planner.ts";
import { createScriptedModel } from "../../../src/exports/testing.ts";
import { WorkingMemory } from "../../../src/exports/working-memory.ts";
import * as palimpsest from "../../../src/exports/index.ts";
import { type Mistake, mistakesOf } from "./mistake.ts";

const { ChatMemory, createHost, createRuntime, defineTool, MemoryModule } = palimpsest;

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
  (options: object | undefined): Mistake["call"] =>
  ({ place }) =>
    createRuntime(options === undefined ? (undefined as never) : { ...place, ...options });

export const mistakenOptions: readonly Mistake[] = [
  ...mistakesOf("config_invalid", [
    [create(undefined), "options", /createRuntime: expected `options`.*`dataDir`/],
    [() => createRuntime({}), "dataDir", /`dataDir`.*`databaseUrl` or `pool`/],
    [create({ modle: "x" }), "modle", /unknown option `modle`. Did you mean `model`/],
    [create({ apiKey: "x" }), "apiKey", /unknown option `apiKey`. Use `openaiApiKey`/],
    [create({ baseURL: "http://localhost" }), "baseURL", /Use `baseUrl`/],
    [create({ systemPrompt: "x" }), "systemPrompt", /for one agent/],
    [create({ embedding: 5 }), "embedding", /embedding: expected .*got 5/],
    [
      create({ models: ["one", "two"].map((name) => createScriptedModel({ name, replies: [] })) }),
      "model",
      /Expected `model`.*"one", "two"/,
    ],
    [create({ models: "openai/x" }), "models", /an array, got a string.*`model` names/],
    [create({ models: ["openai/x"] }), "models[0]", /use `model: "…"`/],
    [create({ models: [{ name: "m", stream: () => [] }] }), "models[0]", /valid `contextWindow`/],
    [create({ embedder: "openai/x" }), "embedder", /use `embedding: "…"`/],
    [create({ embedder: { name: "e", dimensions: 3, embed: () => [] } }), "embedder", /valid `close`/],
    [
      create({ embedders: [{ name: "e", embed: () => [], close: () => undefined }] }),
      "embedders[0]",
      /valid `dimensions`/,
    ],
    [create({ log: console }), "log", /`log` to be a function/],
    [create({ memoryClasses: TaskMemory }), "memoryClasses", /`memoryClasses: \[YourMemory\]`/],
    [({ place }) => createHost({ ...place, userId: "a" } as never), "userId", /host\.forUser\(userId\)/],
  ]),
  ...mistakesOf("tool_definition_invalid", [
    [create({ tools: [tool] }), "tools", /`tools` to be an object.*got an array. Pass tools: \{ add: \[…\] \}/],
    [create({ tools: tool }), "tools", /Pass tools: \{ add: \[tool\] \}/],
    [create({ tools: { adds: [tool] } }), "tools.adds", /Did you mean `add`/],
    [create({ tools: { add: tool } }), "tools.add", /an array.*`add: \[tool\]`/],
    [create({ tools: { add: [plainTool] } }), "tools.add[0]", /a tool.*defineTool\(/],
    [create({ tools: { add: [() => tool] } }), "tools.add[0]", /If it returns a tool, call it/],
    [create({ tools: { add: [Promise.resolve(tool)] } }), "tools.add[0]", /a Promise \(await it\)/],
    [create({ tools: { replace: { send_message: plainTool } } }), "tools.replace.send_message", /a tool/],
    [create({ memoryClasses: [OddToolsMemory] }), "OddToolsMemory.tools()[3]", /a tool/],
  ]),
  ...mistakesOf("memory_definition_invalid", [
    [
      create({ memoryClasses: [new TaskMemory()] }),
      "memoryClasses[0]",
      /an instance of TaskMemory. Pass the class itself/,
    ],
    [
      create({ memoryClasses: [NeedyMemory] }),
      "memoryClasses[0]",
      /constructor of NeedyMemory must accept empty options.*default/,
    ],
    [
      create({ memoryClasses: [Untyped] }),
      "memoryClasses[0]",
      /Untyped has no type of its own.*static override readonly type/,
    ],
  ]),
];

const embedder = { name: "e", dimensions: 3, embed: () => [], close: () => undefined };
const countTokens = () => 1;

export const mistakenDefinitions: readonly Mistake[] = [
  ...mistakesOf("memory_definition_invalid", [
    [
      () => new palimpsest.BaseMemory({ modules: [{ label: "x" } as never] }),
      "module",
      /a MemoryModule, got an object with `label`/,
    ],
    [() => new palimpsest.ScratchpadMemory({ scratchpd: {} } as never), "scratchpd", /Did you mean `scratchpad`/],
    [() => new MemoryModule({ value: "x" } as never), "label", /`label` to be a string/],
    [() => new MemoryModule({ label: "x", maxLength: 3 } as never), "maxLength", /Use `limit`/],
    [() => new ChatMemory("I am Ada" as never), "options", /an object with `persona`/],
    [() => new ChatMemory({ user: "Ada" } as never), "user", /Use `human`/],
  ]),
  ...mistakesOf("config_invalid", [
    [() => new MessageBuffer({ sise: 3 } as never), "sise", /Did you mean `size`/],
    [() => new MessageBuffer({ embedder: "openai/x" } as never), "embedder", /an embedder, got a string/],
    [() => new WorkingMemory(undefined as never), "options", /an object with `embedder`/],
    [() => new WorkingMemory({ embedder, maxMemory: 3 } as never), "maxMemory", /Did you mean `maxMemoryMb`/],
    [() => new QueryPlanner({ countTokens } as never), "sources", /a plain object, got undefined/],
    [
      () => new QueryPlanner({ countTokens, sources: { files: {} } } as never),
      "sources.files",
      /a function, got an empty object/,
    ],
    [() => createScriptedModel({ replies: ["Hello"] as never }), "replies[0]", /an object with `thought`, `text`/],
    [() => createScriptedModel({ replies: [{ content: "Hello" } as never] }), "replies[0].content", /Use `text`/],
    [() => palimpsest.loadConfig(process.env as never), "options", /`file`, `flags`, `env`/],
    [() => palimpsest.loadConfig({ path: "x" } as never), "path", /Expected one of `file`/],
  ]),
  ...mistakesOf("input_invalid", [
    [() => new MessageBuffer().search(undefined as never), "query", /`query` to be a string/],
    [() => new WorkingMemory({ embedder: null }).search("x", undefined as never), "options", /an object with `user`/],
  ]),
  ...mistakesOf("tool_definition_invalid", [
    [
      () => defineTool({ ...plainTool, execute: undefined, run: () => "", description: undefined } as never),
      "execute",
      /Use `run`/,
    ],
    [
      () => defineTool({ name: "t", description: "d", parameters: z.object({ due: z.date() }), run: () => "" }),
      "parameters.due",
      /"due" of tool "t".*dates/,
    ],
  ]),
];
