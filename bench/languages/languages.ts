// Measures how often the archival search finds a fact by a question in other words, in six languages and across them, and by
// misspelt names and identifiers: with the embedder of PALIMPSEST_EMBEDDING, and by words alone, among 3,000 lines of small talk.
// Invariant: in each group, cases with an even number are for tuning, odd ones are held out; the result has both.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { inTurn, alternate, type Row, rowOf, type SuiteResult } from "../measure.ts";
import { createLanguageScene, type LanguageCase } from "./language-scene.ts";

const agent = "main";
const pageSize = 5;

/** Cases found among the first five results. */
interface Found {
  readonly tuned: number;
  readonly heldOut: number;
  readonly of: number;
}

type Ask = (question: string) => Promise<readonly string[]>;

export async function benchLanguages(): Promise<SuiteResult> {
  const { cases, passages } = createLanguageScene();
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  const outcomes: Record<string, Readonly<Record<string, Found>>> = {};
  const rows: Row[] = [];
  try {
    for (const [name, embedding] of Object.entries({ embedder: configured(), words: { embedding: "none" } })) {
      const runtime = await createRuntime({
        dataDir: folder,
        timeZone: "UTC",
        ...embedding,
        log: (text) => process.stderr.write(`${text}\n`),
      });
      const measured = await measure(runtime, { cases, passages: name === "embedder" ? passages : null });
      outcomes[name] = measured.found;
      rows.push(rowOf(`a search: ${name}`, measured.times));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  print(outcomes);
  return { rows, more: { languages: outcomes } };
}

interface Scene {
  readonly cases: readonly LanguageCase[];
  /** Null: they are stored already. */
  readonly passages: readonly string[] | null;
}

/** Closes the runtime. */
async function measure(runtime: Runtime, { cases, passages }: Scene) {
  try {
    if (passages !== null) await fill(runtime, passages);
    const ask: Ask = async (question) =>
      textsOf(await runtime.archival.search(agent, question, { pageSize, countsAccesses: false }));
    const found = await foundBy(ask, cases);
    const next = inTurn(cases);
    const [times = []] = await alternate([() => ask(next().question)], { rounds: cases.length, warmups: 5 });
    return { found, times };
  } finally {
    await runtime.close();
  }
}

/** The settings of the embedder in the environment, as the program reads them. */
function configured(): Readonly<Record<string, unknown>> {
  const { env } = process;
  const dimensions = env["PALIMPSEST_EMBEDDING_DIMENSIONS"];
  const given = {
    embedding: env["PALIMPSEST_EMBEDDING"],
    embeddingBaseUrl: env["PALIMPSEST_EMBEDDING_BASE_URL"],
    embeddingFolder: env["PALIMPSEST_EMBEDDING_FOLDER"],
    embeddingApiKey: env["PALIMPSEST_EMBEDDING_API_KEY"],
    embeddingDimensions: dimensions === undefined ? undefined : Number(dimensions),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

async function fill(runtime: Runtime, passages: readonly string[]): Promise<void> {
  await runtime.agents.create({ name: agent });
  await runtime.archival.import(
    agent,
    passages.map((text) => ({ text })),
  );
  await runtime.idle();
}

function textsOf({ hits }: { readonly hits: readonly { readonly text: string }[] }): readonly string[] {
  return hits.map(({ text }) => text);
}

async function foundBy(ask: Ask, cases: readonly LanguageCase[]): Promise<Readonly<Record<string, Found>>> {
  const found: Record<string, Found> = {};
  for (const { group, question, text } of cases) {
    const { tuned, heldOut, of } = found[group] ?? { tuned: 0, heldOut: 0, of: 0 };
    const isFound = (await ask(question)).includes(text) ? 1 : 0;
    if (isFound === 0) process.stderr.write(`missed: ${group}: ${question}\n`);
    const isTuned = of % 2 === 0;
    found[group] = { tuned: tuned + (isTuned ? isFound : 0), heldOut: heldOut + (isTuned ? 0 : isFound), of: of + 1 };
  }
  return found;
}

function print(outcomes: Readonly<Record<string, Readonly<Record<string, Found>>>>): void {
  for (const [name, groups] of Object.entries(outcomes)) {
    process.stdout.write(`\nfound among the first five: ${name}\n`);
    for (const [group, { tuned, heldOut, of }] of Object.entries(groups)) {
      const halves = `tuned ${tuned} of ${Math.ceil(of / 2)}, held out ${heldOut} of ${Math.floor(of / 2)}`;
      process.stdout.write(`${group.padEnd(24)}${`${tuned + heldOut} of ${of}`.padEnd(12)}${halves}\n`);
    }
  }
}
