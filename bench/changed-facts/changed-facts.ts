// Measures whether the search tools show a model the newest statement of a fact that changed, and what they cost above the bare
// ranking. The questions are asked in a turn, through the tools, on the embedded engine or in the database of BENCH_DATABASE_URL.
// Invariant: even facts are for tuning, odd ones are held out; every table has both.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import type { ToolContext } from "../../src/tool/tool.ts";
import { archivalMemorySearch } from "../../tools/archival-memory-search.ts";
import { conversationSearch } from "../../tools/conversation-search.ts";
import { alternate, inTurn, quantile, type Row, rowOf, type SuiteResult } from "../measure.ts";
import { type ChangedFact, createFactScene, type FactScene } from "./fact-scene.ts";
import { createTalker } from "./hold-talks.ts";

/** Shares of the facts. */
interface Shares {
  readonly newestOnFirstPage: number;
  readonly newestBeforeOld: number;
}

/** The model edits memory for this share of the facts. */
interface Variant {
  readonly name: string;
  readonly share: number;
}

const variants: readonly Variant[] = [
  { name: "all edited", share: 1 },
  { name: "half edited", share: 0.5 },
  { name: "not edited", share: 0 },
];

export async function benchChangedFacts(): Promise<SuiteResult> {
  const rows: Row[] = [];
  const outcomes: Record<string, unknown> = {};
  for (const variant of variants) {
    const measured = await measureVariant(variant);
    rows.push(...measured.rows);
    outcomes[variant.name] = measured.outcomes;
  }
  return { rows, more: { changedFacts: outcomes } };
}

async function measureVariant({ name, share }: Variant): Promise<Measured> {
  const scene = createFactScene();
  const talker = createTalker(scene, share);
  const databaseUrl = process.env["BENCH_DATABASE_URL"];
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  let measured: Measured | undefined;
  const probe = defineTool({
    name: "probe",
    description: "Runs the measurement.",
    parameters: z.object({}),
    effects: "memory",
    run: async (_, context) => void (measured = await measure({ runtime, agent: name, scene }, context)),
  });
  let isMeasuring = false;
  const model = createScriptedModel({
    replies: ({ messages }) =>
      isMeasuring && messages.at(-1)?.role === "user"
        ? { toolCalls: [{ name: "probe", arguments: {} }] }
        : talker.nextReply(),
  });
  const runtime: Runtime = await createRuntime({
    ...(databaseUrl === undefined ? { dataDir: folder } : { databaseUrl }),
    timeZone: "UTC",
    model: "scripted",
    models: [model],
    tools: { add: [probe] },
    clock: talker.clock,
    log: (line) => process.stderr.write(`${line}\n`),
  });
  try {
    process.stdout.write(`${name}\n`);
    await runtime.agents.create({ name });
    await talker.hold(runtime, name);
    await runtime.archival.import(name, talker.passages);
    await runtime.idle();
    isMeasuring = true;
    const opened = await runtime.agents.open(name, { conversation: "new" });
    for await (const event of opened.send("Measure."))
      if (event.type === "tool-result") process.stderr.write(`${event.text}\n`);
  } finally {
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  }
  if (measured === undefined) throw new Error("The probe did not run.");
  return measured;
}

interface Measured {
  readonly rows: readonly Row[];
  readonly outcomes: Readonly<Record<string, unknown>>;
}

type Ask = (question: string) => Promise<string>;

interface Scene {
  readonly runtime: Runtime;
  readonly agent: string;
  readonly scene: FactScene;
}

async function measure({ runtime, agent, scene }: Scene, context: ToolContext): Promise<Measured> {
  const rows: Row[] = [];
  const outcomes: Record<string, unknown> = {};
  const searches = {
    conversation: {
      tool: conversationSearch,
      bare: (question: string) => runtime.recall.search(agent, question, { pageSize: 20 }),
      statements: ({ said }: ChangedFact) => said,
    },
    archival: {
      tool: archivalMemorySearch,
      bare: (question: string) => runtime.archival.search(agent, question, { pageSize: 20, countsAccesses: false }),
      statements: ({ saved }: ChangedFact) => saved,
    },
  };
  for (const [name, { tool, bare, statements }] of Object.entries(searches)) {
    const ask: Ask = async (query) => String(await tool.run({ query }, context));
    outcomes[name] = await outcomeOf(scene, ask, statements);
    const [asked, floor] = [inTurn(scene.changed), inTurn(scene.changed, { isHalfOn: true })];
    const [tools = [], floors = []] = await alternate([() => ask(asked().question), () => bare(floor().question)], {
      rounds: 96,
      warmups: 12,
    });
    rows.push(rowOf(`${agent}, ${name}: the tool`, tools, { ratio: quantile(tools, 0.5) / quantile(floors, 0.5) }));
    rows.push(rowOf(`${agent}, ${name}: 20 ranked`, floors));
  }
  return { rows, outcomes };
}

async function outcomeOf(scene: FactScene, ask: Ask, statements: (fact: ChangedFact) => readonly string[]) {
  const tuned: ChangedFact[] = [];
  const heldOut: ChangedFact[] = [];
  for (const [index, fact] of scene.changed.entries()) (index % 2 === 0 ? tuned : heldOut).push(fact);
  const steady = { first: 0, firstPage: 0 };
  for (const { question, text } of scene.steady) {
    const page = await ask(question);
    steady.firstPage += page.includes(text) ? 1 : 0;
    steady.first += page.split("\n")[1]?.includes(text) === true ? 1 : 0;
  }
  const share = (count: number): number => count / scene.steady.length;
  const outcome = {
    tuned: await sharesOf(tuned, ask, statements),
    heldOut: await sharesOf(heldOut, ask, statements),
    steady: { first: share(steady.first), firstPage: share(steady.firstPage) },
  };
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
  return outcome;
}

async function sharesOf(
  facts: readonly ChangedFact[],
  ask: Ask,
  statements: (fact: ChangedFact) => readonly string[],
): Promise<Shares> {
  let [onPage, before] = [0, 0];
  for (const fact of facts) {
    const page = await ask(fact.question);
    const [newest = -1, ...old] = statements(fact)
      .toReversed()
      .map((text) => page.indexOf(text));
    if (newest < 0) process.stderr.write(`missed: ${fact.question}\n`);
    else if (old.some((place) => place >= 0 && place < newest))
      process.stderr.write(`behind the old one: ${fact.question}\n`);
    onPage += newest >= 0 ? 1 : 0;
    before += newest >= 0 && old.every((place) => place < 0 || place > newest) ? 1 : 0;
  }
  return { newestOnFirstPage: onPage / facts.length, newestBeforeOld: before / facts.length };
}
