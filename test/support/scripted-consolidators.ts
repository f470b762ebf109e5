// Models that consolidate: good, lazy, lying, invalid and injecting. Crashing is a matter of the process, not of operations.
import type { ProposedOperation } from "../../src/memory/consolidation/check-operations.ts";
import type { MemoryRow } from "../../src/store/port/consolidation-store.ts";
import { pick, type Random, type ScriptedConsolidator } from "./consolidation-histories.ts";

const reference = ({ kind, id, text }: MemoryRow) => ({ kind, id, text });
const quoteOf = ({ kind, id }: MemoryRow, quote: string) => ({ kind, id, quote });
const none = { reason: "It is tidier.", targets: [], texts: [], module: null, evidence: [] };

/** Merges passages of which one begins with the other, and moves lines with a day that has passed. */
const good: ScriptedConsolidator = (_world, rows) => {
  const passages = rows.filter(({ kind }) => kind === "passage");
  const merged = passages.flatMap((one) => {
    const longer = passages.find((other) => other !== one && other.text.startsWith(one.text));
    if (longer === undefined) return [];
    return [{ ...none, kind: "merge" as const, targets: [one, longer].map(reference), texts: [longer.text] }];
  });
  const over = rows.filter(({ kind, text }) => kind === "line" && /on 20[12]\d-/u.test(text));
  return [
    ...merged,
    ...over.map((line) => ({ ...none, kind: "move-to-archive" as const, targets: [reference(line)] })),
  ];
};

const lazy: ScriptedConsolidator = () => [];

const kinds = ["add", "merge", "supersede", "move-to-archive", "split"] as const;

/** Texts of rows, their parts, and texts that change a word of them. */
function madeUp(random: Random, rows: readonly MemoryRow[]): string {
  const [one, other] = [pick(random, rows).text, pick(random, rows).text];
  const words = one.split(" ");
  const cut = Math.floor(random() * words.length);
  return pick(random, [
    one,
    one,
    `${one}. ${other}`,
    words.slice(cut).join(" "),
    words.slice(0, cut).join(" "),
    one.replace(" not ", " "),
    one.replace("not eat", "eats"),
    one.replace(/\d\d/u, "77"),
    one.replace(/Ada|Karin|Tom/u, "Eve"),
    [...words.slice(0, 1), ...other.split(" ").slice(1)].join(" "),
    `${one}\n${other}`,
    "",
  ]);
}

const shapes = {
  add: { targets: 0, texts: 1, of: [] },
  merge: { targets: 2, texts: 1, of: ["line", "passage", "message"] },
  supersede: { targets: 1, texts: 1, of: ["line", "passage", "message"] },
  "move-to-archive": { targets: 1, texts: 0, of: ["line"] },
  split: { targets: 1, texts: 2, of: ["passage"] },
} as const satisfies Record<(typeof kinds)[number], unknown>;

/** Any operation on any rows, with true and false quotes and texts. */
function anyOperation(random: Random, rows: readonly MemoryRow[]): ProposedOperation {
  const kind = pick(random, kinds);
  const wanted = shapes[kind];
  const of = pick<string>(random, wanted.of);
  const some = rows.filter((row) => row.kind === of);
  const pool = some.length === 0 || random() < 0.1 ? rows : some;
  const targets = Array.from({ length: wanted.targets }, () => pick(random, pool));
  const own = targets.length > 0 && random() < 0.5 ? targets : rows;
  const texts = Array.from({ length: wanted.texts }, () => madeUp(random, own));
  const named = targets.map((row) =>
    random() < 0.03 ? { ...reference(row), text: `${row.text} then` } : reference(row),
  );
  const module = kind === "add" ? pick(random, ["human", "persona", null, null]) : null;
  return { ...none, kind, targets: named, texts, module, evidence: anyEvidence(random, rows, texts[0]) };
}

function anyEvidence(random: Random, rows: readonly MemoryRow[], text = "?"): ProposedOperation["evidence"] {
  if (random() < 0.1) return [];
  const cited = pick(random, rows);
  const source = rows.find((row) => text !== "" && row.text.includes(text)) ?? cited;
  const first = quoteOf(source, random() < 0.9 ? source.text : "never said");
  return random() < 0.3 ? [first, quoteOf(cited, cited.text)] : [first];
}

const lying: ScriptedConsolidator = ({ random }, rows) => Array.from({ length: 25 }, () => anyOperation(random, rows));

const invalid: ScriptedConsolidator = ({ random }, rows) =>
  Array.from({ length: 10 }, () => {
    const { kind, ...operation } = anyOperation(random, rows);
    return { ...operation, kind: pick(random, kinds), targets: [{ kind: "passage", id: "nothing", text: kind }] };
  });

/** Does what external texts say: puts them where the user's own words are. */
const injecting: ScriptedConsolidator = ({ random }, rows) => {
  const outside = rows.filter(({ trust }) => trust === "external");
  return outside.flatMap((row): ProposedOperation[] => {
    const victim = pick(random, rows);
    const texts = [row.text];
    const evidence = [quoteOf(row, row.text), quoteOf(victim, victim.text)];
    return [
      { ...none, kind: "add", texts, module: "human", evidence },
      { ...none, kind: "supersede", targets: [reference(victim)], texts, evidence },
      { ...none, kind: "merge", targets: [reference(victim), reference(row)], texts, evidence },
    ];
  });
};

export const consolidators = { good, lazy, lying, invalid, injecting } as const;
