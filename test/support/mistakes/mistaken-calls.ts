// Mistakes in the calls of an agent and of a runtime's operations, besides those that follow from the contracts
// (test/parity/refused-calls.test.ts).
import { createHost, defineTool } from "../../../src/exports/index.ts";
import { z } from "zod";
import { type Mistake, mistakesOf } from "./mistake.ts";

const tool = defineTool({ name: "noop", description: "Does nothing.", parameters: z.object({}), run: () => "" });

export const mistakenTurns: readonly Mistake[] = [
  ...mistakesOf("input_invalid", [
    [({ agent }) => agent.send(), "input", /agent\.send: expected `input` to be a string, got undefined/],
    [
      ({ agent }) => agent.send({ role: "user", content: "x" }),
      "input",
      /got an object with `role`, `content`. Pass the text/,
    ],
    [({ agent }) => agent.send([{ role: "user", content: "x" }]), "input", /got an array/],
    [({ agent }) => agent.send("x", { maxstep: 1 }), "maxstep", /Did you mean `maxSteps`/],
    [
      ({ agent }) => agent.send("x", { signal: new AbortController() }),
      "signal",
      /Pass the `signal` of an AbortController/,
    ],
    [({ agent }) => agent.send("x", { files: "a.png" }), "files", /an array.*`files: \[file\]`/],
    [({ agent }) => agent.send("x", { files: ["a.png"] }), "files[0]", /\{ path: "notes.md" \}/],
    [
      ({ agent }) => agent.send("x", { files: [{ data: "abc", name: "a.txt" }] }),
      "files[0].data",
      /a Uint8Array or a Buffer.*TextEncoder/,
    ],
    [
      ({ agent }) => agent.send("x", { files: [{ data: new Uint8Array(1) }] }),
      "files[0].name",
      /`files\[0\]\.name` to be a string/,
    ],
    [({ agent }) => agent.start(5), "input", /agent\.start.*got the number 5/],
  ]),
];

export const mistakenOperations: readonly Mistake[] = [
  ...mistakesOf("input_invalid", [
    [({ runtime }) => runtime.agents.open(), "agent", /agents\.open: expected `agent`.*name first/],
    [({ runtime }) => runtime.agents.open({ name: "x" }), "agent", /got an object with `name`/],
    [({ runtime }) => runtime.agents.open("x", { creat: {} }), "creat", /Did you mean `create`/],
    [({ runtime }) => runtime.agents.open("x", { create: true }), "create", /an object with.*got a boolean/],
    [
      ({ runtime }) => runtime.agents.open("x", { create: { instructions: "y" } }),
      "create.instructions",
      /`persona`.*`systemPrompt`/,
    ],
    [({ runtime }) => runtime.agents.open("x", { conversation: "c1" }), "conversation", /"last", "new" or \{ id \}/],
    [({ runtime }) => runtime.agents.create({ name: "x", model: { name: "m" } }), "model", /Pass a model name/],
    [({ runtime }) => runtime.agents.create({ name: "x", memory: { human: "" } }), "memory", /new YourMemory/],
    [({ runtime }) => runtime.agents.create({ name: "x", maxSteps: 3 }), "maxSteps", /unknown option `maxSteps`/],
    [({ runtime }) => runtime.sources.load("work", "docs"), "inputs", /an array.*\["docs"\]/],
    [
      ({ runtime }) => runtime.sources.load("work", [{ path: "docs" }]),
      "inputs[0].path",
      /Pass the path itself, as a string/,
    ],
    [
      ({ runtime }) => runtime.sources.load("work", [Buffer.from("x")]),
      "inputs[0]",
      /an object with `name`, `data`, `isNew`, got an instance of Buffer/,
    ],
    [({ runtime }) => runtime.archival.import("mistakes", ["x"]), "passages[0]", /an object with `text`/],
    [
      ({ runtime }) => runtime.conversations.import("mistakes", { messages: [{ role: "user", content: "x" }] }),
      "messages[0].content",
      /unknown option `messages\[0\]\.content`. Use `text`/,
    ],
    [
      ({ runtime }) => runtime.schedules.create("mistakes", { text: "x", at: "2030-01-01" }),
      "at",
      /a Date with a time in the years 1 to 9999.*new Date/,
    ],
    [({ runtime }) => runtime.forget.apply("my address"), "request", /an object with `texts`/],
    [({ runtime }) => runtime.getContext("mistakes"), "query", /`query` to be a string/],
    [
      async ({ place }) => {
        const host = await createHost(place);
        try {
          host.forUser(undefined as never);
        } finally {
          await host.close();
        }
      },
      "userId",
      /`userId` to be a string/,
    ],
  ]),
  ...mistakesOf("agent_not_found", [
    [
      ({ runtime }) => runtime.agents.open("nobody"),
      undefined,
      /`runtime\.agents\.open\(name, \{ create: \{\} \}\)` creates one/,
    ],
  ]),
  ...mistakesOf("config_invalid", [
    [
      ({ runtime }) => runtime.agents.open("x", { create: { model: "gpt-4o" } }),
      undefined,
      /Did you mean "openai\/gpt-4o"/,
    ],
  ]),
  ...mistakesOf("tool_definition_invalid", [
    [({ runtime }) => runtime.agents.open("x", { tools: [tool] }), "tools", /\{ add: \[…\] \}/],
  ]),
  ...mistakesOf("source_file_unreadable", [
    [
      ({ runtime }) => runtime.sources.load("work", ["no/such/path"]),
      "inputs",
      /no\/such\/path: there is no such file. Check the paths/,
    ],
  ]),
];
