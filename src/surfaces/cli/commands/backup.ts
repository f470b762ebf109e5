// `palimpsest backup`.
import { access } from "node:fs/promises";
import { ConfigError } from "../../../base/errors.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { externalText, whereText } from "../format/external-objects.ts";
import { notice, printText } from "../print.ts";
import { reasonOf, systemErrorCode } from "../../../base/thrown-values.ts";
import { wordAt } from "../parse/word-argument.ts";

export const backup: Command = {
  words: ["backup"],
  usage: "FILE",
  summary: "write all data of all users to a file",
  details:
    "Files and node memories in a folder or an S3-compatible service (--objects) are not in the file. Copy that location\n" +
    "after the backup, so that the copy has every object that the rows refer to.",
  flags: [...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const file = wordAt(call, 0);
    if (await exists(file))
      throw new ConfigError(`${file} already exists. Choose another name, or remove the file first.`);
    const { external } = await (await call.runtime()).backup(file);
    printText(call.world, `Wrote ${file}.`);
    if (external.length > 0) {
      notice(call, `The file does not contain the content of ${externalText(external)}. Copy it too: ${whereText}`);
    }
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
      `Cannot write ${file}: ${reasonOf(error)}. Name a file in an existing folder that you may write to.`,
      {
        cause: error,
      },
    );
  }
}
