// `palimpsest archival import`.
// Invariant: every line is looked at before the first is stored, so a file with one wrong line leaves the archive as it was.
import { ConfigError } from "../../errors.ts";
import { numberText } from "../../window-words.ts";
import type { Command, CommandCall } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { passageCount } from "../format/listing-texts.ts";
import { notice, printError, printResult } from "../print.ts";
import type { PassageInput } from "../runtime-records.ts";
import { type TextLines, textLines } from "../parse/text-lines.ts";
import { wordAt } from "../parse/word-argument.ts";

/** Problems that are told one by one. */
const maxProblems = 10;
/** What is stored at once: so many passages, or so many UTF-16 units of text. */
const batchPassages = 100;
const batchLength = 1_000_000;
const passagesPerNotice = 1000;

export const archivalImport: Command = {
  words: ["archival", "import"],
  usage: "FILE|-",
  summary: "import passages from JSON Lines",
  details:
    "A line has content and, if you like, tags, kind, importance (0 to 1) and at (when it was made). id, origin and trust\n" +
    "are read past: passages get new ids, and count as from outside. All lines are checked before anything is stored. A\n" +
    "text that is there already is counted and left as it is, so an import that was broken off can be run again.",
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  stopsItself: true,
  async run(call) {
    const file = wordAt(call, 0);
    const lines = await textLines(file, call.world);
    const total = await checkLines(call, lines, file);
    const added = await store(call, lines, total);
    const present = total - added;
    const known = present === 0 ? "" : `; ${numberText(present)} already there`;
    const text = `Imported ${passageCount(added)}${known}.`;
    printResult(call, { json: { added, present }, text });
    return 0;
  },
};

/** How many passages there are. Throws ConfigError when a line is none. */
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
    `${place} was not imported. Lines that are no passages: ${numberText(wrong)} of ${numberText(total)}${shown}.`,
  );
}

/** How many were new. */
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
    length += passage.content.length;
    if (batch.length >= batchPassages || length >= batchLength) await flush();
  }
  await flush();
  return added;
}

/** What ends an import that has begun: an interruption, or a file that somebody has changed since it was checked. */
function stopped(
  { world }: CommandCall,
  { number, done }: { readonly number: number; readonly done: number },
): unknown {
  const kept = `${passageCount(done)} looked at and stored; import the file again for the rest.`;
  if (!world.signal.aborted) return new ConfigError(`Line ${number} has changed since it was checked. ${kept}`);
  printError(world, kept);
  return world.signal.reason;
}

async function* passagesOf(lines: TextLines) {
  // It needs zod, and help is to load no package.
  const { readPassageLine } = await import("../parse/passage-line.ts");
  let number = 0;
  for await (const line of lines()) {
    number += 1;
    if (line.trim() !== "") yield { number, ...readPassageLine(line) };
  }
}
