// Mistakes in the calls of an agent and of a runtime's operations, besides those that follow from the contracts
// (test/parity/refused-calls.test.ts).
import { createHost, defineTool } from "../../../src/exports/index.ts";
import { z } from "zod";
import { codes, type Mistake } from "./mistake.ts";

const { config, input, ofTool } = codes;
const tool = defineTool({ name: "noop", description: "Does nothing.", parameters: z.object({}), run: () => "" });

export const mistakenTurns: readonly Mistake[] = [
  [
    "send()",
    ({ agent }) => agent.send(),
    input,
    "input",
    /agent\.send: expected `input` to be a string, got undefined/,
  ],
  [
    "send({ role, content })",
    ({ agent }) => agent.send({ role: "user", content: "x" }),
    input,
    "input",
    /got an object with `role`, `content`. Pass the text/,
  ],
  ["send([…])", ({ agent }) => agent.send([{ role: "user", content: "x" }]), input, "input", /got an array/],
  ["an unknown option", ({ agent }) => agent.send("x", { maxstep: 1 }), input, "maxstep", /Did you mean `maxSteps`/],
  [
    "a controller as a signal",
    ({ agent }) => agent.send("x", { signal: new AbortController() }),
    input,
    "signal",
    /Pass the `signal` of an AbortController/,
  ],
  ["files: a path", ({ agent }) => agent.send("x", { files: "a.png" }), input, "files", /an array.*`files: \[file\]`/],
  [
    "files: [a path]",
    ({ agent }) => agent.send("x", { files: ["a.png"] }),
    input,
    "files[0]",
    /\{ path: "notes.md" \}/,
  ],
  [
    "file data as a text",
    ({ agent }) => agent.send("x", { files: [{ data: "abc", name: "a.txt" }] }),
    input,
    "files[0].data",
    /a Uint8Array or a Buffer.*TextEncoder/,
  ],
  [
    "file data without a name",
    ({ agent }) => agent.send("x", { files: [{ data: new Uint8Array(1) }] }),
    input,
    "files[0].name",
    /`files\[0\]\.name` to be a string/,
  ],
  ["start(5)", ({ agent }) => agent.start(5), input, "input", /agent\.start.*got the number 5/],
];

export const mistakenOperations: readonly Mistake[] = [
  ["open()", ({ runtime }) => runtime.agents.open(), input, "agent", /agents\.open: expected `agent`.*name first/],
  ["open({ name })", ({ runtime }) => runtime.agents.open({ name: "x" }), input, "agent", /got an object with `name`/],
  [
    "open of an agent that does not exist",
    ({ runtime }) => runtime.agents.open("nobody"),
    "agent_not_found",
    undefined,
    /`runtime\.agents\.open\(name, \{ create: \{\} \}\)` creates one/,
  ],
  [
    "a model without its provider",
    ({ runtime }) => runtime.agents.open("x", { create: { model: "gpt-4o" } }),
    config,
    undefined,
    /Did you mean "openai\/gpt-4o"/,
  ],
  [
    "open with an unknown option",
    ({ runtime }) => runtime.agents.open("x", { creat: {} }),
    input,
    "creat",
    /Did you mean `create`/,
  ],
  [
    "create: true",
    ({ runtime }) => runtime.agents.open("x", { create: true }),
    input,
    "create",
    /an object with.*got a boolean/,
  ],
  [
    "instructions",
    ({ runtime }) => runtime.agents.open("x", { create: { instructions: "y" } }),
    input,
    "create.instructions",
    /`persona`.*`systemPrompt`/,
  ],
  [
    "tools: [t] of an agent",
    ({ runtime }) => runtime.agents.open("x", { tools: [tool] }),
    ofTool,
    "tools",
    /\{ add: \[…\] \}/,
  ],
  [
    "conversation: an id",
    ({ runtime }) => runtime.agents.open("x", { conversation: "c1" }),
    input,
    "conversation",
    /"last", "new" or \{ id \}/,
  ],
  [
    "a model object",
    ({ runtime }) => runtime.agents.create({ name: "x", model: { name: "m" } }),
    input,
    "model",
    /Pass its name/,
  ],
  [
    "a plain memory",
    ({ runtime }) => runtime.agents.create({ name: "x", memory: { human: "" } }),
    input,
    "memory",
    /new YourMemory/,
  ],
  [
    "a setting beside settings",
    ({ runtime }) => runtime.agents.create({ name: "x", maxSteps: 3 }),
    input,
    "maxSteps",
    /unknown option `maxSteps`/,
  ],
  [
    "load(source, path)",
    ({ runtime }) => runtime.sources.load("work", "docs"),
    input,
    "inputs",
    /an array.*\["docs"\]/,
  ],
  [
    "load([{ path }])",
    ({ runtime }) => runtime.sources.load("work", [{ path: "docs" }]),
    input,
    "inputs[0].path",
    /Pass the path itself, as a string/,
  ],
  [
    "load([buffer])",
    ({ runtime }) => runtime.sources.load("work", [Buffer.from("x")]),
    input,
    "inputs[0]",
    /an object with `name`, `data`, `isNew`, got an instance of Buffer/,
  ],
  [
    "load of a missing path",
    ({ runtime }) => runtime.sources.load("work", ["no/such/path"]),
    "source_file_unreadable",
    "inputs",
    /no\/such\/path: there is no such file. Check the paths/,
  ],
  [
    "archival.import of texts",
    ({ runtime }) => runtime.archival.import("mistakes", ["x"]),
    input,
    "passages[0]",
    /an object with `text`/,
  ],
  [
    "import { role, content }",
    ({ runtime }) => runtime.conversations.import("mistakes", { messages: [{ role: "user", content: "x" }] }),
    input,
    "messages[0].content",
    /unknown option `messages\[0\]\.content`. Use `text`/,
  ],
  [
    "a schedule with a date as text",
    ({ runtime }) => runtime.schedules.create("mistakes", { text: "x", at: "2030-01-01" }),
    input,
    "at",
    /a Date with a time in the years 1 to 9999.*new Date/,
  ],
  ["forget(text)", ({ runtime }) => runtime.forget.apply("my address"), input, "request", /an object with `texts`/],
  [
    "getContext without a query",
    ({ runtime }) => runtime.getContext("mistakes"),
    input,
    "query",
    /`query` to be a string/,
  ],
  [
    "forUser()",
    async ({ place }) => {
      const host = await createHost(place);
      try {
        host.forUser(undefined as never);
      } finally {
        await host.close();
      }
    },
    input,
    "userId",
    /`userId` to be a string/,
  ],
];
