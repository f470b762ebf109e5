// A folder of files of all kinds, some of them bad, the same each time: for tests of loading.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { textPdf } from "./text-pdf.ts";

export interface MixedFiles {
  readonly good: number;
  /** By their names from the folder on, in the order in which a load tells them. */
  readonly bad: readonly { readonly name: string; readonly reason: string }[];
}

type Content = string | Buffer;

const good: readonly ((number: number) => readonly [extension: string, content: Content])[] = [
  (n) => ["txt", `Note ${n} is about the harbour.\n\nIt was written on day ${n}. The tide was ${n % 7} metres high.\n`],
  (n) => ["md", `# Guide ${n}\n\nHow to mend net ${n}.\n\n## Knots\n\nThe knot of net ${n} has ${n % 9} turns.\n`],
  (n) => [
    "html",
    `<title>Ship ${n}</title><h2>Crew</h2><p>Ship ${n} has a crew of <b>${n % 30}</b>.</p><script>1</script>`,
  ],
  (n) => ["pdf", textPdf([[`Log ${n} of the lighthouse.`], [`Page two of log ${n}.`]])],
  (n) => ["jsonl", `{"title":"Catch ${n}","text":"${n} herrings"}\n{"name":"Boat ${n}","length":${n % 40}}\n`],
  (n) => ["ts", `// Weighs catch ${n}.\nexport function weigh${n}(fish: number): number {\n  return fish * ${n};\n}\n`],
];

const bad: readonly (readonly [extension: string, content: Content, reason: string])[] = [
  ["txt", "", "it is empty"],
  ["txt", Buffer.from([0, 1, 2, 3]), "it is not text: it contains control characters"],
  ["md", Buffer.from("a tide of 🙂").subarray(0, -1), "it is truncated in the middle of a character"],
  ["md", Buffer.from("caf\xe9 au lait", "latin1"), "it is not UTF-8: byte 4 is invalid. Save it as UTF-8"],
  ["pdf", textPdf([["secret"]], { encrypted: true }), "it is encrypted and needs a password"],
  ["pdf", "%PDF-1.7\n", "it is not a PDF, or a damaged one"],
  ["jsonl", '{"a":1}\n{"a":', "line 2 is not JSON"],
  ["html", "<script>only()</script>", "it contains only white space"],
  ["ts", " \n\n", "it contains only white space"],
  ["html", "<div>".repeat(1500), "its elements are nested more than 1000 deep"],
];

/** Writes `count` files into folders of a hundred, `badCount` of them bad and spread among the others. */
export function writeMixedFiles(folder: string, count: number, badCount: number): MixedFiles {
  const told: { name: string; reason: string }[] = [];
  const every = Math.floor(count / Math.max(badCount, 1));
  for (let number = 0; number < count; number += 1) {
    const within = `part-${String(Math.floor(number / 100)).padStart(2, "0")}`;
    const isBad = number % every === every - 1 && told.length < badCount;
    const stem = String(number).padStart(4, "0");
    mkdirSync(path.join(folder, within), { recursive: true });
    const [extension, content] = isBad ? bad[told.length % bad.length]! : good[number % good.length]!(number);
    const name = `${within}/${stem}.${extension}`;
    if (isBad) told.push({ name: `${path.basename(folder)}/${name}`, reason: bad[told.length % bad.length]![2] });
    writeFileSync(path.join(folder, name), content);
  }
  return { good: count - told.length, bad: told };
}
