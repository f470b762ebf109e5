// A process of the trial of a re-embedding, on the built package. By its first argument it fills an archive (`seed`), goes over to
// the other embedder (`reembed`, which is killed again and again), or searches and inserts all the while (`use`).
// It writes lines: `ready`, `progress N`, `done JSON`, `violation …`.
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createRuntime } from "../../dist/library/index.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: "string" },
    url: { type: "string" },
    passages: { type: "string", default: "1000" },
    rate: { type: "string" },
  },
});
const passages = Number(values.passages);
const say = (line) => writeSync(1, `${line}\n`);

/** A text's words, each with places of its own among the dimensions, by a hash: the same in every process. */
function wordEmbedder(name, dimensions) {
  const vectorOf = (text) => {
    const vector = Array.from({ length: dimensions }, () => 0);
    for (const word of text.toLowerCase().match(/[a-z0-9]+/gu) ?? ["nothing"]) {
      const digest = createHash("sha256").update(`${name} ${word}`).digest();
      for (let at = 0; at < 16; at += 2)
        vector[digest.readUInt16BE(at) % dimensions] += digest[16 + at] % 2 === 0 ? 1 : -1;
    }
    const length = Math.hypot(...vector);
    return length === 0 ? vector.fill(1 / Math.sqrt(dimensions)) : vector.map((number) => number / length);
  };
  return { name, dimensions, embed: async (texts) => texts.map(vectorOf), close: async () => undefined };
}

const runtime = await createRuntime({
  ...(values.url === undefined ? { dataDir: values.folder } : { databaseUrl: values.url }),
  userId: "trial",
  embedder: wordEmbedder("trial/old", 512),
  embedders: [wordEmbedder("trial/next", 384)],
  timeZone: "UTC",
  log: (line) => say(`log ${line}`),
});

const work = { seed, reembed, use }[positionals[0]];
say("ready");
say(`done ${JSON.stringify(await work())}`);
await runtime.close();

async function seed() {
  await runtime.agents.create({ name: "main" });
  for (let from = 0; from < passages; from += 500) {
    const contents = Array.from({ length: Math.min(500, passages - from) }, (_, at) => from + at);
    await runtime.archival.import(
      "main",
      contents.map((number) => ({
        text: `The boat number${number} lies at pier p${number % 97} of harbour h${number % 13}.`,
      })),
    );
  }
  await runtime.idle();
  return passages;
}

async function reembed() {
  const { made, agents } = await runtime.embeddings.reembed({
    to: "trial/next",
    fromDimensions: 512,
    toDimensions: 384,
    ...(values.rate === undefined ? {} : { ratePerSecond: Number(values.rate) }),
    onProgress: ({ done }) => say(`progress ${done}`),
  });
  return { made, agents };
}

/** Until its input ends. Every search must find what it found at first, by words and by meaning. */
async function use() {
  let isOver = false;
  process.stdin.resume().once("end", () => (isOver = true));
  const asked = Array.from({ length: 40 }, (_, at) => Math.floor((at * passages) / 40));
  const find = async (number) => {
    const begun = performance.now();
    const { hits, wordsAlone } = await runtime.archival.search("main", `number${number}`, { pageSize: 1 });
    const ms = performance.now() - begun;
    if (wordsAlone === true) say("violation a search was by words alone");
    if ((hits[0]?.explanation.meaning ?? null) === null) say(`violation number${number} was not found by meaning`);
    return { id: hits[0]?.id, ms };
  };
  const first = new Map();
  for (const number of asked) first.set(number, (await find(number)).id);
  const [times, searchedBy] = [[], []];
  let inserted = 0;
  const look = async () => {
    const { embedder } = (await runtime.embeddings.list(["main"]))[0].searched;
    if (searchedBy.at(-1) !== embedder) searchedBy.push(embedder);
  };
  for (let round = 0; !isOver; round += 1) {
    const number = asked[round % asked.length];
    try {
      const { id, ms } = await find(number);
      times.push(ms);
      if (id !== first.get(number)) say(`violation number${number} was found no more`);
      if (round % 5 === 0 && (await runtime.archival.add("main", `lantern l${round} of process ${process.pid}`)))
        inserted += 1;
      if (round % 20 === 0) await look();
    } catch (error) {
      say(`violation ${error.code ?? error.name}: ${error.message}`);
    }
    await sleep(5);
  }
  await look();
  await runtime.idle();
  times.sort((a, b) => a - b);
  const at = (share) => Math.round(times[Math.floor(times.length * share)] ?? 0);
  return { searches: times.length, inserted, searchedBy, p50: at(0.5), p95: at(0.95), longest: at(0.9999) };
}
