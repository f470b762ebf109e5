// `palimpsest archival import`.
// Invariant: every line is checked before the first is stored, so a file with an invalid line
// does not change the archive.
import { ConfigError } from "../../../base/errors.ts";
import { numberText } from "../../../base/window-words.ts";
import type { Command, CommandCall } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { passageCount } from "../format/listing-texts.ts";
import { notice, printError, printResult } from "../print.ts";
import type { PassageInput } from "../runtime-records.ts";
import { type TextLines, textLines } from "../parse/text-lines.ts";
import { wordAt } from "../parse/word-argument.ts";

/** Number of problems that are reported individually. */
const maxProblems = 10;
/** Limits of one batch: passages, and UTF-16 units of text. */
const batchPassages = 100;
const batchLength = 1_000_000;
const passagesPerNotice = 1000;

export const archivalImport: Command = {
  words: ["archival", "import"],
  usage: "FILE|-",
  summary: "import passages from JSON Lines",
  details:
    "A line has content and optionally tags, kind, importance (0 to 1) and at (the creation time). id, origin, trust\n" +
    "and replacedBy are ignored: passages get new ids and the trust class external. All lines are checked before anything is stored.\n" +
    "Texts already stored are counted and skipped, so an interrupted import can be run again.",
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  handlesAbort: true,
  async run(call) {
    const file = wordAt(call, 0);
    const lines = await textLines(file, call.world);
    const total = await checkLines(call, lines, file);
    const added = await store(call, lines, total);
    const present = total - added;
    const known = present === 0 ? "" : `; ${numberText(present)} already stored`;
    const text = `Imported ${passageCount(added)}${known}.`;
    printResult(call, { json: { added, present }, text });
    return 0;
  },
};

/** Returns the number of passages. Throws ConfigError if a line is not a passage. */
async function checkLines({ world }: CommandCall, lines: TextLines, file: string): Promise<number> {
  let total = 0;
  let wrong = 0;
  for await (const { number, problem } of passagesOf(lines)) {
    world.signal.throwIfAborted();
    total += 1;
    if (problem === null) continue;
    wrong += 1;
    if (wrong <= maxProblems) printError(world, `line ${number}: ${problem}`);
  }
  if (wrong === 0) return total;
  const place = file === "-" ? "Standard input" : file;
  const shown = wrong > maxProblems ? `, the first ${maxProblems} are above` : "";
  throw new ConfigError(
    `${place} was not imported. Invalid lines: ${numberText(wrong)} of ${numberText(total)}${shown}.`,
  );
}

/** Returns the number of new passages. */
async function store(call: CommandCall, lines: TextLines, total: number): Promise<number> {
  const { archival } = await call.runtime();
  let [added, done, length] = [0, 0, 0];
  let batch: PassageInput[] = [];
  const flush = async (): Promise<void> => {
    added += await archival.import(call.agent, batch);
    const before = done;
    done += batch.length;
    batch = [];
    length = 0;
    if (Math.floor(done / passagesPerNotice) > Math.floor(before / passagesPerNotice)) {
      notice(call, `${numberText(done)} of ${passageCount(total)}`);
    }
  };
  for await (const { number, passage } of passagesOf(lines)) {
    if (call.world.signal.aborted || passage === null) throw stopped(call, { number, done });
    batch.push(passage);
    length += passage.text.length;
    if (batch.length >= batchPassages || length >= batchLength) await flush();
  }
  await flush();
  return added;
}

/** Returns the error that ends a running import: an interruption, or a file that changed after the check. */
function stopped(
  { world }: CommandCall,
  { number, done }: { readonly number: number; readonly done: number },
): unknown {
  const kept = `${passageCount(done)} stored; import the file again for the rest.`;
  if (!world.signal.aborted) return new ConfigError(`Line ${number} has changed since it was checked. ${kept}`);
  printError(world, kept);
  return world.signal.reason;
}

async function* passagesOf(lines: TextLines) {
  // Loaded late, since it needs zod and `--help` must load no package.
  const { readPassageLine } = await import("../parse/passage-line.ts");
  let number = 0;
  for await (const line of lines()) {
    number += 1;
    if (line.trim() !== "") yield { number, ...readPassageLine(line) };
  }
}
