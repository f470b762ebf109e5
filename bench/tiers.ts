// Measures each tier of memory, and the planner over all of them, with the bounds that MUXI's documentation gives for MUXI.
// It uses a separate database: on the server of BENCH_DATABASE_URL (created and dropped there), or else embedded.
// Invariant: searches are exact; each row is measured alternately with its floor, and names its bound.
import { loadavg } from "node:os";
import { composeRuntime } from "../src/runtime/compose/compose.ts";
import { MessageBuffer } from "../src/context/buffer/message-buffer.ts";
import type { Embedder } from "../src/model/embedding/embedder.ts";
import { createLocalEmbedder } from "../src/model/embedding/local/local-embedder.ts";
import { shownSynopsis } from "../src/memory/synopsis/synopsis.ts";
import { WorkingMemory } from "../src/memory/working/working-memory.ts";
import type { Runtime } from "../src/runtime/runtime.ts";
import { vectorText } from "../src/store/vectors/vector-text.ts";
import { bareSearch } from "./dot-products.ts";
import { createInstantModel } from "./instant-model.ts";
import { alternate, inTurn, quantile, type Row, rowOf, type SuiteResult, type Work } from "./measure.ts";
import { type Corpus, corpusEmbedder, makeCorpus } from "./search-corpus.ts";
import { createBareQueries } from "./search-floor.ts";
import { openPlace, type Place } from "./search-place.ts";
import { prepareSeed, seedPassages } from "./search-seed.ts";

/** The upper bounds in MUXI's "Memory Internals", in milliseconds. */
const bounds = { bufferAdd: 1, bufferSearch: 5, workingSearch: 20, archivalSearch: 100, contextBuild: 200 } as const;
/** Its lower bound for generating a synopsis. It gives no time for an existing one, which saves this time. */
const synopsisCall = 500;

const [rounds, warmups] = [200, 30] as const;
const passages = 10_000;
const width = 512;

export async function benchTiers(): Promise<SuiteResult> {
  const corpus = await makeCorpus({ lines: 1500, questions: 60 });
  const place = await openPlace(process.env["BENCH_DATABASE_URL"]);
  const known = knownVectors(corpus);
  try {
    const rows = [...(await benchBuffer(corpus, known)), ...(await benchWorking(corpus, known))];
    rows.push(...(await benchPlanner(place, corpus)));
    const over = rows.filter(({ note }) => note?.includes("OVER") === true).map(({ name }) => name);
    process.stdout.write(
      `over their bound: ${over.length === 0 ? "none" : over.join(", ")}; load ${loadavg()[0]?.toFixed(1)}\n`,
    );
    return { rows, more: { tiersOverBound: over, tiersLoad: loadavg()[0] } };
  } finally {
    await place.close();
  }
}

/** Returns precomputed vectors, so that the search is measured and not the embedder. */
function knownVectors({ lines, questions }: Corpus): Embedder {
  const vectors = new Map([...lines, ...questions].map(({ text, vector }) => [text, vector]));
  return {
    name: corpusEmbedder,
    dimensions: width,
    similarityFloor: 0.35,
    embed: async (texts) => texts.map((text) => vectors.get(text.replace(/ #\d+$/u, "")) ?? null),
    close: async () => undefined,
  };
}

interface Beside {
  readonly name: string;
  readonly floor: string;
  readonly bound: number;
}

/** Returns two rows: the floor, and the measured work with its ratio to the floor and its bound. */
async function beside({ name, floor, bound }: Beside, [bare, work]: readonly [Work, Work]): Promise<readonly Row[]> {
  const [min = [], taken = []] = await alternate([bare, work], { rounds, warmups });
  const verdict = quantile(taken, 0.95) < bound ? "under" : "OVER";
  return [
    rowOf(`${name}: ${floor} (floor)`, min),
    rowOf(name, taken, {
      ratio: quantile(taken, 0.5) / quantile(min, 0.5),
      note: `${verdict} ${bound} ms at p95`,
    }),
  ];
}

async function benchBuffer({ lines, questions }: Corpus, embedder: Embedder): Promise<readonly Row[]> {
  const buffer = new MessageBuffer({ size: 50, summarizer: async () => "A summary.", embedder });
  const bare: string[] = [];
  const nextLine = inTurn(lines);
  // A single addition is too short for the clock: a thousand are measured together, and 1 ms in the table is 1 µs each.
  const thousand = (add: (text: string) => void) => async () => {
    for (let count = 0; count < 1000; count += 1) add(nextLine().text);
    await buffer.summarize();
  };
  const adds = await beside(
    { name: "buffer add, 1,000 of them", floor: "array push", bound: 1000 * bounds.bufferAdd },
    [
      thousand((text) => {
        bare.push(text);
        if (bare.length > 50) bare.shift();
      }),
      thousand((text) => void buffer.addMessage("user", text)),
    ],
  );
  const small = new MessageBuffer({ size: 50, embedder });
  for (const { text } of lines.slice(0, 50)) small.addMessage("user", text);
  const flat = Float32Array.from(lines.slice(0, 50).flatMap(({ vector }) => vector));
  const [search, ask, askBare] = [bareSearch(flat, width), inTurn(questions), inTurn(questions, { isHalfOn: true })];
  const searches = await beside(
    { name: "buffer search, 50 messages", floor: "bare dot products", bound: bounds.bufferSearch },
    [async () => search(Float32Array.from(askBare().vector), 5), () => small.search(ask().text)],
  );
  return [...adds, ...searches];
}

async function benchWorking({ lines, questions }: Corpus, embedder: Embedder): Promise<readonly Row[]> {
  const memory = new WorkingMemory({ embedder });
  const user = "bench";
  let added = 0;
  // Fills the 10 MB, and evicts once.
  for (let before = -1; memory.size > before || added < 8000; added += 1) {
    before = added < 8000 ? -1 : memory.size;
    memory.add({ text: `${lines[added % lines.length]!.text} #${added}`, source: "tool", user });
    if (added % 100 === 0) await memory.idle();
  }
  await memory.idle();
  const held = lines.slice(0, 1);
  const flat = new Float32Array(memory.size * width);
  for (let row = 0; row < memory.size; row += 1) {
    flat.set(lines[(added - memory.size + row) % lines.length]?.vector ?? held[0]!.vector, row * width);
  }
  const [search, ask, askBare] = [bareSearch(flat, width), inTurn(questions), inTurn(questions, { isHalfOn: true })];
  const name = `working search, 10 MB: ${memory.size.toLocaleString("en")} texts`;
  const searches = await beside({ name, floor: "bare dot products", bound: bounds.workingSearch }, [
    async () => search(Float32Array.from(askBare().vector), 5),
    () => memory.search(ask().text, { user }),
  ]);
  await memory.close();
  return searches;
}

async function benchPlanner(place: Place, corpus: Corpus): Promise<readonly Row[]> {
  const model = createInstantModel("text");
  const local = createLocalEmbedder();
  const runtime = await composeRuntime(
    {
      userId: "bench",
      model: model.name,
      models: [model],
      embedder: local,
      workingMemory: "process",
      timeZone: "UTC",
    },
    { store: place.store },
  );
  try {
    // The demo model generates the synopsis by rules, once, before the measurement.
    const settings = { synopsis: "on", synopsisRefresh: "by-hand", summarizer: "demo" } as const;
    const { id: agentId } = await runtime.agents.create({ name: "bench", settings });
    const archive = { userId: "bench", agentId, width };
    await place.store
      .as("bench")
      .passages.addVectors(agentId, { embedder: corpusEmbedder, dimensions: width, rows: [] });
    await prepareSeed(place.sql, corpus);
    await seedPassages(place.sql, archive, { from: 1, to: passages });
    await place.store.optimize({ minVectors: 20_001 });
    const agent = await runtime.agents.open("bench");
    for (const { text } of corpus.lines.slice(0, 30)) for await (const _event of agent.send(text));
    await runtime.idle();
    const questions = corpus.questions.map(({ text }) => text);
    const bare = await createBareQueries(place.database, archive, { questions, isIndexed: false });
    const vectorTexts = new Map(corpus.questions.map(({ text, vector }) => [text, vectorText(vector, width)]));
    const floor = async (text: string): Promise<void> => {
      await bare.nearest(vectorTexts.get(text)!);
      await bare.best(text);
    };
    const [ask, plan] = [inTurn(corpus.questions), inTurn(corpus.questions)];
    const [askBare, planBare] = [
      inTurn(corpus.questions, { isHalfOn: true }),
      inTurn(corpus.questions, { isHalfOn: true }),
    ];
    const label = `${passages.toLocaleString("en")} passages`;
    const searches = await beside(
      { name: `archival search, ${label}`, floor: "bare SQL", bound: bounds.archivalSearch },
      [() => floor(askBare().text), () => runtime.archival.search("bench", ask().text)],
    );
    const synopses = await benchSynopsis(place, runtime);
    const plans = await beside(
      { name: `full context, ${label}`, floor: "bare SQL of the archive", bound: bounds.contextBuild },
      [() => floor(planBare().text), () => runtime.getContext("bench", plan().text)],
    );
    const { warnings, synopsis } = await runtime.getContext("bench", corpus.questions[0]!.text);
    if (warnings.length > 0) throw new Error(`A source failed: ${warnings.join("; ")}`);
    if (synopsis === null) throw new Error("The context has no synopsis, so that not all of it was measured.");
    return [...searches, ...synopses, ...plans];
  } finally {
    await runtime.close();
  }
}

/** Reads an existing synopsis from the store and renders it for a prompt. */
async function benchSynopsis({ store, sql }: Place, { synopsis, archival, agents }: Runtime): Promise<readonly Row[]> {
  for (const content of ["My name is Ada.", "The user likes green tea."]) await archival.add("bench", content);
  const made = await synopsis.refresh("bench");
  const { id, settings } = await agents.find("bench");
  const user = store.as("bench");
  const bare = "select part, content, expires_at from synopses where user_id = 'bench' and agent_id = $1";
  const rows = await beside({ name: "synopsis hit", floor: "bare SQL", bound: synopsisCall }, [
    () => sql.begin((tx) => tx.unsafe(bare, [id], { prepare: true })),
    async () => {
      const shown = shownSynopsis(await user.synopses.read(id), settings, new Date());
      if (shown?.text !== made.text) throw new Error("The synopsis is not the one that was made.");
    },
  ]);
  const after = await synopsis.show("bench");
  if (after.identity?.at.getTime() !== made.identity?.at.getTime()) throw new Error("A model was asked.");
  return rows;
}
