// `palimpsest optimize`, `backup` and `restore`: maintenance of the whole database, for all users.
import { access } from "node:fs/promises";
import { ConfigError } from "../../../base/errors.ts";
import { reasonOf, systemErrorCode } from "../../../base/thrown-values.ts";
import { commandTable } from "../command.ts";
import { notice, printText } from "../print.ts";
import type { ExternalObjects, OptimizedTable, OptimizeReport } from "../runtime-records.ts";
import { counted } from "../format/listing-texts.ts";

export const commands = commandTable({
  optimize: {
    summary: "clean up tables and build indexes, to keep searches fast",
    details:
      "Vacuums the tables, updates the planner's statistics, and builds vector indexes where they help: from 20,001 vectors\n" +
      "of one width on. Below that, every vector is compared, and results are exact. On a PostgreSQL server no query waits\n" +
      "meanwhile. On the embedded engine all queries wait while an index is built: about a minute for each 50,000 vectors.",
    flags: ["json"],
    async run(call) {
      const { signal } = call.world;
      const report = await (await call.runtime()).optimize({ log: (line) => notice(call, line), signal });
      return { json: report, text: reportText(report) };
    },
  },
  backup: {
    usage: "FILE",
    summary: "write all data of all users to a file",
    details:
      "Files and node memories in a folder or an S3-compatible service (--objects) are not in the file. Copy that location\n" +
      "after the backup, so that the copy has every object that the rows refer to.",
    async run(call, file) {
      if (await exists(file))
        throw new ConfigError(`${file} already exists. Choose another name, or remove the file first.`);
      const { external } = await (await call.runtime()).backup(file);
      printText(call.world, `Wrote ${file}.`);
      if (external.length > 0) {
        notice(call, `The file does not contain the content of ${externalText(external)}. Copy it too: ${whereText}`);
      }
      return 0;
    },
  },
  restore: {
    usage: "FILE",
    summary: "restore a backup into an empty database",
    details:
      "Needs a new --data-dir or an empty PostgreSQL database; any other database is refused and not changed. A file that\n" +
      "is not a backup, or was changed, is refused, and the database stays empty.",
    async run(call, file) {
      const { external } = await (await call.runtime()).restore(file);
      printText(call.world, `Restored ${file}.`);
      if (external.length > 0) {
        notice(call, `The rows refer to ${externalText(external)}, which no backup contains: ${whereText}`);
      }
      return 0;
    },
  },
});

function reportText({ tables, analyzed, analyzeSeconds }: OptimizeReport): string {
  const cleaned = `Vacuumed and analyzed ${analyzed.join(", ")} in ${analyzeSeconds.toFixed(1)} s.`;
  return [cleaned, ...tables.map(tableText)].join("\n");
}

function tableText(optimized: OptimizedTable): string {
  return `${optimized.table}: ${Math.round(optimized.vectors).toLocaleString("en")} vectors, ${outcomeText(optimized)}.`;
}

function outcomeText({ outcome, index, indexBytes, buildSeconds, dimensions }: OptimizedTable): string {
  const size = `${(indexBytes / 2 ** 20).toFixed(0)} MB`;
  switch (outcome) {
    case "built":
      return `built the index in ${buildSeconds.toFixed(1)} s (${size})`;
    case "kept":
      return `the index exists (${size})`;
    case "not-due":
      return index === "broken" ? "too few for an index; removed an invalid one" : "too few to need an index";
    case "too-wide":
      return `${dimensions} dimensions are too many for an index`;
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw new ConfigError(
      `Cannot write ${file}: ${reasonOf(error)}. Name a file in an existing folder that you may write to.`,
      { cause: error },
    );
  }
}

/** Returns `3 objects in "folder" (1.2 MB) and 1 object in "s3" (0.1 MB)`. */
function externalText(external: readonly ExternalObjects[]): string {
  return external
    .map(({ backend, objects, bytes }) => {
      return `${counted(objects, "object")} in "${backend}" (${(bytes / 1_000_000).toFixed(1)} MB)`;
    })
    .join(" and ");
}

const whereText = "the setting `objects` has the location, and `palimpsest doctor` compares the objects with the rows.";
