// `palimpsest backup`.
import { access } from "node:fs/promises";
import { ConfigError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { printText } from "../print.ts";
import { reasonOf, systemErrorCode } from "../../base/system-error.ts";
import { wordAt } from "../word-argument.ts";

export const backup: Command = {
  words: ["backup"],
  usage: "FILE",
  summary: "write everything, of all users, to a file",
  flags: [...storeFlags],
  takes: { least: 1, most: 1 },
  async run(call) {
    const file = wordAt(call, 0);
    if (await exists(file)) throw new ConfigError(`${file} is there already. Choose another name, or remove it first.`);
    await (await call.runtime()).backup(file);
    printText(call.world, `Wrote ${file}.`);
    return 0;
  },
};

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw new ConfigError(
      `${file} cannot be written: ${reasonOf(error)}. Name a file in a folder that exists and in which you may write.`,
      {
        cause: error,
      },
    );
  }
}
