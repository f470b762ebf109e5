// Backups with random damage: each is refused, and leaves the database empty. On the engine at hand.
// `FUZZ_TRIALS`: the number of trials, 40 by default.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { openTestStore, type TestStore } from "../support/database.ts";
import { fillScene, tablesOf } from "../support/isolation-scene.ts";
import { useFolder } from "../support/folders.ts";

const trials = Number(process.env["FUZZ_TRIALS"] || 40);
// Named in a failure, so that it can be repeated.
const seed = Number(process.env["FUZZ_SEED"] ?? 17);

let source: TestStore;
let target: TestStore;
const folder = useFolder();
let whole: Buffer;

beforeAll(async () => {
  [source, target] = [await openTestStore({ isOwn: true }), await openTestStore()];
  await fillScene(source);
  const file = path.join(folder, "whole.gz");
  await source.store.backup(file);
  whole = readFileSync(file);
});

afterAll(async () => {
  await source.close();
  await target.close();
});

/** Numbers from 0 to below `end`, the same for the same seed (mulberry32). */
function createRandom(start: number): (end: number) => number {
  let state = start;
  return (end) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
}

type Random = ReturnType<typeof createRandom>;
type Damage = (lines: string[], random: Random) => Buffer;

const asFile = (lines: readonly string[]): Buffer => gzipSync(`${lines.join("\n")}\n`);

const damages: Readonly<Record<string, Damage>> = {
  "cut in the gzip data": (_lines, random) => whole.subarray(0, random(whole.length)),
  "a byte of the gzip data changed": (_lines, random) => {
    const changed = Buffer.from(whole);
    // The header of a gzip file has a time and a name of the system, which mean nothing.
    const at = 10 + random(whole.length - 10);
    changed[at] = changed[at]! ^ (1 << random(8));
    return changed;
  },
  "cut after a line": (lines, random) => asFile(lines.slice(0, 1 + random(lines.length - 1))),
  "a line left out": (lines, random) => asFile(lines.toSpliced(random(lines.length), 1)),
  "a line twice": (lines, random) => {
    const at = random(lines.length);
    return asFile(lines.toSpliced(at, 0, lines[at]!));
  },
  "two lines exchanged": (lines, random) => {
    const at = random(lines.length - 1);
    return asFile(lines.toSpliced(at, 2, lines[at + 1]!, lines[at]!));
  },
  "a character changed": (lines, random) => {
    const at = random(lines.length);
    const line = lines[at]!;
    const place = random(line.length);
    const other = String.fromCharCode(line.charCodeAt(place) === 0x61 ? 0x62 : 0x61);
    return asFile(lines.toSpliced(at, 1, line.slice(0, place) + other + line.slice(place + 1)));
  },
  "a line of something else": (lines, random) =>
    asFile(
      lines.toSpliced(1 + random(lines.length), 0, ["", "null", "[]", "{}", "\u0000", "x".repeat(9999)][random(6)]!),
    ),
  "bytes that are not UTF-8": (lines, random) => {
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    bytes[random(bytes.length)] = 0xff;
    return gzipSync(bytes);
  },
  "parts of two backups": (lines, random) =>
    asFile([...lines.slice(0, random(lines.length)), ...lines.slice(random(lines.length))]),
};

it(
  `none of ${trials} corrupted files is restored, and the database stays empty`,
  async () => {
    const random = createRandom(seed);
    const kinds = Object.entries(damages);
    const lines = gunzipSync(whole).toString("utf8").trimEnd().split("\n");
    const restored: string[] = [];
    for (let trial = 0; trial < trials; trial += 1) {
      const [name, damage] = kinds[trial % kinds.length]!;
      const file = path.join(folder, "damaged.gz");
      const bytes = damage([...lines], random);
      if (gunzipsTo(bytes, lines)) continue;
      writeFileSync(file, bytes);
      const error = await target.store.restore(file).then(
        () => null,
        (thrown: unknown) => thrown as { readonly code?: string; readonly message: string },
      );
      if (error?.code !== "backup_invalid") restored.push(`seed ${seed}, trial ${trial}, ${name}: ${error?.message}`);
      if (error === null) break;
    }
    const left: string[] = [];
    for (const table of await tablesOf({ test: target })) {
      if ((await target.ownerRows(`select 1 from "${table}" limit 1`)).length > 0) left.push(table);
    }
    expect({ restored, left }).toEqual({ restored: [], left: [] });
  },
  240_000 + trials * 2000,
);

/** Whether the damage has changed nothing: equal lines that were exchanged, say. */
function gunzipsTo(bytes: Buffer, lines: readonly string[]): boolean {
  try {
    return gunzipSync(bytes).equals(Buffer.from(`${lines.join("\n")}\n`));
  } catch {
    return false;
  }
}
