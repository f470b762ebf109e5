// `palimpsest import chatgpt`, `import claude` and `import mem0`.
import type { ImportProgress, ImportReport } from "../../../runtime/imports.ts";
import type { Command, CommandCall } from "../command.ts";
import type { ProgressBar } from "../format/progress-bar.ts";
import { importedText } from "../format/import-text.ts";
import { watchImport } from "../format/watch-import.ts";
import { inputChunks } from "../headless/input-chunks.ts";
import { storeFlags } from "../parse/flags.ts";
import { wordAt } from "../parse/word-argument.ts";
import { notice, printResult } from "../print.ts";
import type { ExportFormName } from "../runtime-records.ts";

const repeatable =
  "All texts get the trust class external, and core memory is not changed. A repeated import adds only what is new, and an\n" +
  "interrupted one continues. Vectors are made in the background while an agent is open.";

export const importChatgpt = importCommand("chatgpt", {
  usage: "FILE|-",
  summary: "import the conversations of a ChatGPT data export",
  details:
    "FILE is the ZIP, the folder of the unpacked ZIP, or conversations.json. Conversations keep their times and branches.\n" +
    repeatable,
});

export const importClaude = importCommand("claude", {
  usage: "FILE|-",
  summary: "import the conversations of a Claude data export",
  details:
    "FILE is the ZIP, the folder of the unpacked ZIP, or conversations.json. Conversations keep their times and branches.\n" +
    repeatable,
});

export const importMem0 = importCommand("mem0", {
  usage: "FILE|-",
  summary: "import the memories of mem0 as passages",
  details:
    "FILE is JSON or JSON Lines as mem0 returns its memories. They become passages of the archive with their times; users,\n" +
    `categories and metadata become tags.\n${repeatable}`,
});

function importCommand(form: ExportFormName, texts: Pick<Command, "usage" | "summary" | "details">): Command {
  return {
    ...texts,
    words: ["import", form],
    flags: ["agent", "dry-run", "json", ...storeFlags],
    takes: { min: 1, max: 1 },
    handlesAbort: true,
    run: (call) => runImport(call, form),
  };
}

async function runImport(call: CommandCall, form: ExportFormName): Promise<number> {
  const { stdin, signal } = call.world;
  const file = wordAt(call, 0);
  const dryRun = call.line.switches.has("dry-run");
  const { imports } = await call.runtime();
  const report = await watchImport(call, { dryRun }, (bar) =>
    imports.run(call.agent, file === "-" ? inputChunks(stdin, signal) : file, {
      form,
      dryRun,
      onProgress: (progress) => showProgress(bar, progress),
      signal,
    }),
  );
  printReport(call, report, { form, dryRun });
  return 0;
}

const megabyte = 1_000_000;

function showProgress(bar: ProgressBar, { bytes, totalBytes, messages, passages }: ImportProgress): void {
  if (totalBytes === null || totalBytes === 0) return;
  bar.show({
    label: "Importing MB",
    done: Math.round(bytes / megabyte),
    total: Math.ceil(totalBytes / megabyte),
    share: bytes / totalBytes,
    name: `${(messages + passages).toLocaleString("en-US")} texts`,
  });
}

interface Imported {
  readonly form: ExportFormName;
  readonly dryRun: boolean;
}

function printReport(call: CommandCall, report: ImportReport, { form, dryRun }: Imported): void {
  for (const { text, count } of report.leftOut) notice(call, `left out: ${text} (${count.toLocaleString("en-US")})`);
  for (const { text, count } of report.notes) notice(call, `note: ${text} (${count.toLocaleString("en-US")})`);
  const { found, added, leftOut, notes } = report;
  printResult(call, {
    json: { form, dryRun, found, added, leftOut, notes },
    text: importedText(report, dryRun ? "Would import" : "Imported"),
  });
}
