// The complete output of headless mode: a real runtime with a scripted model, in three formats.
// The files in test/pins/golden are the specification. To update them, run with GOLDEN=write and review the difference.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ModelUnavailableError } from "../../src/base/errors.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import { type CliRun, runInWorld } from "../support/fake-world.ts";
import { useRuntimes } from "../support/runtime.ts";
import { readStream } from "../support/stream-lines.ts";

const usage = { inputTokens: 1200, outputTokens: 20, cachedInputTokens: 1000 };
const price = { input: 3, cachedInput: 0.3, output: 15 };
const append = { name: "core_memory_append", arguments: { name: "human", content: "Lives in: Lisbon" } };

interface Scene {
  readonly name: string;
  readonly text: string;
  readonly replies: readonly ScriptedReply[];
  readonly argv?: readonly string[];
  /** Also runs with `--include-partial-messages`. */
  readonly isPartial?: true;
  /** Interrupts at the second model call. */
  readonly interrupts?: true;
}

const scenes: readonly Scene[] = [
  {
    name: "plain-reply",
    isPartial: true,
    text: "Hello",
    replies: [{ thought: "A greeting.", text: "Hello,\u2028you \ud800.\u009b", usage }],
  },
  {
    name: "memory-edit",
    text: "I live in Lisbon.",
    replies: [
      { toolCalls: [append], usage },
      { text: "Noted: Lisbon.", usage },
    ],
  },
  {
    name: "edit-beside-text",
    text: "I live in Lisbon.",
    replies: [{ text: "Noted: Lisbon.", toolCalls: [append], usage }],
  },
  {
    name: "approval-wanted",
    text: "I live in Lisbon.",
    replies: [{ toolCalls: [append], usage }],
    argv: ["--approvals", "core_memory_append"],
  },
  {
    name: "step-limit",
    text: "I live in Lisbon.",
    replies: [{ toolCalls: [append], usage }],
    argv: ["--max-steps", "1"],
  },
  {
    name: "provider-failure",
    text: "Tell me more",
    replies: [
      {
        text: "It was a dark and stormy night",
        cutAfter: 2,
        error: new ModelUnavailableError("The provider is overloaded.", { provider: "scripted" }),
      },
    ],
  },
  {
    name: "interrupted",
    text: "I live in Lisbon.",
    replies: [
      { toolCalls: [append], usage },
      { text: "And then that.", usage },
    ],
    interrupts: true,
  },
];

const runtimes = useRuntimes();
let runs = 0;

async function runScene(scene: Scene, format: string): Promise<CliRun> {
  const interruption = new AbortController();
  const model = createScriptedModel({
    replies: (_request, index) => {
      if (scene.interrupts === true && index === 1) interruption.abort();
      return scene.replies[index];
    },
  });
  runs += 1;
  const approvals = scene.argv?.[0] === "--approvals" ? { approvals: [scene.argv[1]!] } : {};
  const argv = [
    "-p",
    scene.text,
    "-a",
    `golden-${runs}`,
    "--output-format",
    ...format.split(" "),
    ...(scene.argv ?? []),
  ];
  return runInWorld(argv, {
    openRuntime: () => runtimes.open({ model: "scripted", models: [model], prices: { scripted: price }, ...approvals }),
    signal: interruption.signal,
  });
}

/** Ids in the order of their appearance, times, and tokens of a window that depend on the wording of prompts. */
function replaced(text: string): string {
  const ids = new Map<string, string>();
  return text
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu, (id) => {
      ids.set(id, ids.get(id) ?? `id-${ids.size + 1}`);
      return ids.get(id)!;
    })
    .replaceAll(/golden-\d{1,4}/gu, "golden")
    .replaceAll(/"window":\{"tokens":\d{1,9}/gu, '"window":{"tokens":0')
    .replaceAll(/"(expiresAt|expires_at)":"[\dT:.-]{10,30}Z"/gu, '"$1":"2026-01-01T00:00:00.000Z"')
    .replaceAll(/"(duration_ms|duration_api_ms)":\d{1,9}/gu, '"$1":0');
}

const printed = (format: string, { exitCode, stdout, stderr }: CliRun): string =>
  `$ palimpsest -p … --output-format ${format}\n--- exit code ${exitCode}\n--- stdout\n${stdout}--- stderr\n${stderr}`;

describe.each(scenes)("$name", (scene) => {
  it("prints the expected lines", async () => {
    const told: string[] = [];
    const partial = scene.isPartial === true ? ["stream-json --include-partial-messages"] : [];
    for (const format of ["text", "json", "stream-json", ...partial]) {
      const run = await runScene(scene, format);
      if (format !== "text") readStream(run.stdout);
      told.push(replaced(printed(format, run)));
    }
    const file = fileURLToPath(new URL(`golden/${scene.name}.txt`, import.meta.url));
    if (process.env["GOLDEN"] === "write") writeFileSync(file, told.join("\n"));
    expect(told.join("\n")).toBe(readFileSync(file, "utf8"));
  });
});

test("--include-partial-messages adds only text deltas, also of a truncated reply", async () => {
  for (const scene of scenes.filter(({ name }) => ["memory-edit", "provider-failure"].includes(name))) {
    const argv = [...(scene.argv ?? []), "--include-partial-messages"];
    const kinds = readStream((await runScene({ ...scene, argv }, "stream-json")).stdout).map(({ type }) => type);
    const whole = readStream((await runScene(scene, "stream-json")).stdout).map(({ type }) => type);
    expect(kinds.filter((kind) => !kind.endsWith("-delta"))).toEqual(whole);
    expect(kinds).toContain("text-delta");
  }
});
