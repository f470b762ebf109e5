// Breaks compiled copies of the product in ways that a user would notice, one in each, and holds the talk in evals/talks.json with
// each as `palimpsest eval` does. Usage, after a build:
//   node scripts/eval-mutations.mjs            fails if a break is not noticed, or if the table in docs/evals.md differs
//   node scripts/eval-mutations.mjs --write    writes the table
//   node scripts/eval-mutations.mjs --rules    also removes each rule of memory by itself
//   node scripts/eval-mutations.mjs --only TEXT   those whose name contains it, and compares no table
// Invariant: the tree and its dist/ are not changed; the copy passes before it is broken, and every change applies.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { tableLines } from "./markdown-blocks.mjs";

const root = join(import.meta.dirname, "..");
const rulesFile = "src/context/prompts/memory-rules.md";
const newerRule = " Where two sources disagree, the newer one counts.";

/** What is changed: a file, a text in it (null: all of it), and the text instead. */
const breaks = [
  ["no time in the state", ["dist/src/context/window/state-facts.js", /`Now: \$\{formatMinute.*`,/u, ""]],
  [
    "core memory is not in the prompt",
    ["dist/src/context/window/state-entries.js", /return escapeFrames\(layout === .*;/u, 'return "";'],
  ],
  [
    "the archive's search finds nothing",
    ["dist/src/memory/archival/archival-memory.js", /const hits = rows\.map\(.*;/u, "const hits = [];"],
  ],
  [
    "both tools that save do nothing",
    ["dist/tools/archival-memory-insert.js", /await archival\.insert\(content, .*\);/u, "{ closest: [] };"],
    ["dist/src/memory/core/chat-memory.js", /=> appendTo\(core.*\)/u, '=> "Saved."'],
  ],
  ["summaries are empty", ["dist/src/context/compaction/summarize.js", 'text: summary ?? ""', 'text: ""']],
  [
    "forgetting a text does nothing",
    ["dist/src/runtime/forgetting/forget-tool.js", /await checked\(async \(\) => defer\(.*/u, ""],
  ],
  ["one rule of memory is left", [rulesFile, null, newerRule.trim()]],
  [
    "search without meaning",
    ["dist/src/memory/vectors/query-meaning.js", /const meaning = embedder === null \? .*;/u, "const meaning = null;"],
  ],
  [
    "no bonus for length and surroundings, no penalty for questions",
    [
      "dist/src/store/search/message-search.js",
      /length: 0\.2,\s+question: 0\.1,\s+surroundings: 0\.2/u,
      "length: 0, question: 0, surroundings: 0",
    ],
  ],
  [
    "results in reverse order",
    ["dist/src/memory/recall/recall-search.js", "linked(arranged, {", "linked(arranged.toReversed(), {"],
  ],
  [
    "later statements are not with what they change",
    ["dist/src/memory/recall/recall-search.js", "grouped: true, ", ""],
  ],
  ["no rule that the newer statement counts", [rulesFile, newerRule, ""]],
  ["results without dates", ["dist/src/tool/search-results.js", "[formatMinute(hit.at, context.timeZone), ", "["]],
  [
    "the search of conversations finds nothing",
    ["dist/src/memory/recall/recall-search.js", "hits: await completed(rows, options), total", "hits: [], total"],
  ],
  [
    "forgetting a message does nothing",
    [
      "dist/src/runtime/forgetting/forget-operations.js",
      /(async apply\(asked, .*\{\s+const request = )requireForgettable\(asked\)/u,
      "$1{ ...requireForgettable(asked), messages: [] }",
    ],
  ],
];

/** Each rule that the reader follows, by its first words. */
const rules = [
  "Save what is worth",
  "A lasting wish",
  "Keep a fact in one place",
  "Write dates",
  "When something has changed",
  "Do not save passwords",
  "To forget, call",
  "Before you say that you do not know",
].map((words) => [`without the rule "${words} …"`, [rulesFile, new RegExp(` *${words}[^\\n]*?[.](?=\\s|$)`, "u"), ""]]);

const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : null;
const folder = mkdtempSync(join(tmpdir(), "palimpsest-mutations-"));
const started = Date.now();
const embedder = await openEmbedder();
let status = 0;
try {
  // Keeps the store open.
  const { createRuntime } = await import(pathToFileURL(join(root, "dist/src/runtime/compose/compose.js")).href);
  await createRuntime({ dataDir: join(folder, "store"), model: "demo", embedder });
  const passed = await noticed(["nothing"]);
  if (passed !== "") throw new Error(`the unchanged product does not pass: ${passed}`);
  const rows = [];
  for (const one of [...breaks, ...(process.argv.includes("--rules") ? rules : [])]) {
    if (only !== null && !one[0].includes(only)) continue;
    rows.push([one[0], (await noticed(one)) || "not noticed"]);
    process.stdout.write(`${rows.at(-1).join(": ")}\n`);
  }
  process.stdout.write(`eval-mutations: ${rows.length} in ${Math.round((Date.now() - started) / 1000)} s\n`);
  if (rows.some(([, found]) => found === "not noticed")) status = 1;
  else if (only === null) keepTable(tableLines([["change", "wrong replies"], ...rows.slice(0, breaks.length)]));
} catch (error) {
  process.stderr.write(`eval-mutations: ${error.message}\n`);
  status = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status);

/** Returns the categories with wrong replies and their numbers; "" if there are none. */
async function noticed([name, ...changes]) {
  const copy = mkdtempSync(join(folder, "copy-"));
  for (const part of ["package.json", "src/context/prompts", "dist/src", "dist/tools", "dist/engine"])
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (file) => !file.endsWith(".d.ts") });
  for (const part of ["node_modules", "drizzle", "personas", "dist/prepared"])
    symlinkSync(join(root, part), join(copy, part));
  for (const [file, from, to] of changes) {
    const before = readFileSync(join(copy, file), "utf8");
    const after = from === null ? to : before.replace(from, to);
    if (after === before) throw new Error(`"${name}" does not apply: ${file} has no ${from}`);
    writeFileSync(join(copy, file), after);
  }
  return countsOf((await evaluate(copy, name)).filter(({ isCorrect }) => !isCorrect));
}

/** Every copy has a user of its own in one store, and the vectors that others had. */
async function evaluate(copy, userId) {
  const load = (file) => import(pathToFileURL(join(copy, "dist/src", file)).href);
  const { createRuntime } = await load("runtime/compose/compose.js");
  const { evalSetOf } = await load("surfaces/eval/eval-set.js");
  const { runEval } = await load("surfaces/eval/run-eval.js");
  const { createTalkReader, talkReaderName: model } = await load("surfaces/eval/talk-reader.js");
  const options = { dataDir: join(folder, "store"), timeZone: "UTC", userId, embedder };
  const runtime = await createRuntime({ ...options, model, models: [createTalkReader()] });
  try {
    const set = evalSetOf(JSON.parse(readFileSync(join(root, "evals/talks.json"), "utf8")));
    const { signal } = new AbortController();
    return await runEval(runtime, [set], { models: null, runs: 1, known: [], onResult: () => undefined, signal });
  } finally {
    await runtime.close();
  }
}

/** The default embedder, which reads each text once. */
async function openEmbedder() {
  const { createLocalEmbedder } = await import(
    pathToFileURL(join(root, "dist/src/model/embedding/local/local-embedder.js")).href
  );
  const local = createLocalEmbedder();
  const vectors = new Map();
  const embed = async (texts, given) => {
    const open = [...new Set(texts)].filter((text) => !vectors.has(text));
    const made = open.length === 0 ? [] : await local.embed(open, given);
    for (const [at, text] of open.entries()) vectors.set(text, made[at]);
    return texts.map((text) => vectors.get(text));
  };
  // Without the guard of a runtime: on a busy machine the first texts take longer than a search waits.
  const { talk } = JSON.parse(readFileSync(join(root, "evals/talks.json"), "utf8"));
  await embed(talk.flatMap(({ say, earlier = [] }) => [...(say === undefined ? [] : [say]), ...earlier]));
  // A runtime closes its embedder.
  return { ...local, embed, close: async () => undefined };
}

function countsOf(wrong) {
  const counts = new Map();
  for (const { category } of wrong) counts.set(category, (counts.get(category) ?? 0) + 1);
  return [...counts].map(([category, count]) => `${category} ${count}`).join(", ");
}

function keepTable(lines) {
  const document = join(root, "docs", "evals.md");
  const text = readFileSync(document, "utf8");
  const written = text.replace(
    /(<!-- table: mutations -->\n)[\s\S]*?(<!-- table end -->)/u,
    (_, start, end) => `${start}\n${lines.join("\n")}\n\n${end}`,
  );
  if (process.argv.includes("--write")) writeFileSync(document, written);
  else if (written !== text)
    throw new Error("the table in docs/evals.md differs: node scripts/eval-mutations.mjs --write");
}
