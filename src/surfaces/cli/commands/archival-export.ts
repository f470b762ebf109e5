// `palimpsest archival export`.
// Invariant: passages are read and written in batches; an incomplete file is removed.
import { once } from "node:events";
import { rm } from "node:fs/promises";
import type { Command, CommandCall } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { toJsonLine } from "../format/json-line.ts";
import { passageShape } from "../format/listing-shapes.ts";
import { passageCount } from "../format/listing-texts.ts";
import { openNewFile } from "../new-file.ts";
import { notice, printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

const passagesPerNotice = 1000;

type Write = (line: string) => Promise<unknown>;

export const archivalExport: Command = {
  words: ["archival", "export"],
  usage: "FILE|-",
  summary: "export an agent's passages as JSON Lines",
  details: "Passages of attached sources are not included.",
  flags: ["agent", ...storeFlags],
  takes: { min: 1, max: 1 },
  handlesAbort: true,
  async run(call) {
    const file = wordAt(call, 0);
    if (file === "-") {
      const count = await writePassages(call, (line) => writeOut(call, line));
      notice(call, `wrote ${passageCount(count)}`);
      return 0;
    }
    // An unknown agent must fail before the file is created.
    await (await call.runtime()).agents.find(call.agent);
    const count = await writeFile(call, file);
    printText(call.world, `Wrote ${passageCount(count)} to ${file}.`);
    return 0;
  },
};

async function writeFile(call: CommandCall, file: string): Promise<number> {
  const handle = await openNewFile(file);
  try {
    const count = await writePassages(call, (line) => handle.appendFile(line));
    await handle.close();
    return count;
  } catch (error) {
    await handle.close();
    await rm(file, { force: true });
    throw error;
  }
}

/** Returns the number of passages written. */
async function writePassages(call: CommandCall, write: Write): Promise<number> {
  let count = 0;
  for await (const passage of (await call.runtime()).archival.export(call.agent)) {
    call.world.signal.throwIfAborted();
    await write(toJsonLine(passageShape(passage)));
    count += 1;
    if (count % passagesPerNotice === 0) notice(call, passageCount(count));
  }
  return count;
}

async function writeOut({ world: { stdout, signal } }: CommandCall, line: string): Promise<void> {
  if (!stdout.write(line)) await once(stdout, "drain", { signal });
}
