// `palimpsest import`: conversations and memories of other programs.
// Invariant: after an interruption, a notice says that the import can be continued, except for a dry run.
import { ConfigError } from "../../../base/errors.ts";
import { numberText } from "../../../base/window-words.ts";
import type { ImportProgress, ImportReport } from "../../../runtime/imports/contract.ts";
import { type CommandCall, type CommandEntry, commandTable, type Result } from "../command.ts";
import { type ProgressBar, withProgressBar } from "../format/progress-bar.ts";
import { given } from "../../../base/given.ts";
import { inputChunks } from "../parse/read-text.ts";
import { notice } from "../print.ts";
import type { ExportFormName } from "../runtime-records.ts";
import { counted, countsText } from "../format/listing-texts.ts";

const repeatable =
  "All texts get the trust class external, and core memory is not changed. A repeated import adds only what is new, and an\n" +
  "interrupted one continues. Vectors are made in the background while an agent is open.";
const conversations =
  "FILE is the ZIP, the folder of the unpacked ZIP, or conversations.json. Conversations keep their times and branches.\n" +
  repeatable;

export const commands = commandTable({
  "import chatgpt": importEntry("chatgpt", {
    summary: "import the conversations of a ChatGPT data export",
    details: conversations,
  }),
  "import claude": importEntry("claude", {
    summary: "import the conversations of a Claude data export",
    details: conversations,
  }),
  "import mem0": importEntry("mem0", {
    summary: "import the memories of mem0 as passages",
    details:
      "FILE is JSON or JSON Lines as mem0 returns its memories. They become passages of the archive with their times; users,\n" +
      `categories and metadata become tags.\n${repeatable}`,
  }),
  "import folder": importEntry(
    "folder",
    {
      summary: "import a folder of Markdown files as files of memory",
      details:
        "DIR is the memory of claude-code, a folder of Letta's memfs, one file, or a project with AGENTS.md or CLAUDE.md; only\n" +
        "these two are then read. Hidden files, links and node_modules are left out. A changed file is added again.\n" +
        repeatable,
    },
    "DIR",
  ),
  "import letta": {
    usage: "--database URL",
    summary: "import everything in the database of a Letta server",
    details:
      "Reads the PostgreSQL database of Letta's server 0.16.8 and changes nothing in it: agents, blocks, messages,\n" +
      "conversations, passages, files and tools, with their ids. Can be repeated, also after an interruption: only what is new\n" +
      "is stored. All texts get the trust class external, and tools with source code wait for your approval.",
    flags: ["database", "model", "dry-run", "json"],
    handlesAbort: true,
    run: importLetta,
  },
});

function importEntry(
  form: ExportFormName,
  texts: Pick<CommandEntry, "summary" | "details">,
  usage = "FILE|-",
): CommandEntry {
  return {
    ...texts,
    usage,
    flags: ["agent", "dry-run", "json"],
    handlesAbort: true,
    run: (call, file) => importExport(call, form, file),
  };
}

async function importExport(call: CommandCall, form: ExportFormName, file: string): Promise<Result> {
  const { stdin, signal } = call.world;
  const dryRun = call.line.switches.has("dry-run");
  const { imports } = await call.runtime();
  const report = await withProgressBar(call, dryRun ? null : keptAdvice, (bar) =>
    imports.run(call.agent, file === "-" ? inputChunks(stdin, signal) : file, {
      form,
      dryRun,
      onProgress: (progress) => showProgress(bar, progress),
      signal,
    }),
  );
  const { found, added, leftOut, notes } = report;
  for (const { text, count } of leftOut) notice(call, `left out: ${text} (${numberText(count)})`);
  for (const { text, count } of notes) notice(call, `note: ${text} (${numberText(count)})`);
  return {
    json: { form, dryRun, found, added, leftOut, notes },
    text: importedText(report, dryRun ? "Would import" : "Imported"),
  };
}

const keptAdvice = "Everything imported so far is kept. Run the same command again to continue.";

const megabyte = 1_000_000;

function showProgress(bar: ProgressBar, { bytes, totalBytes, messages, passages }: ImportProgress): void {
  if (totalBytes === null || totalBytes === 0) return;
  bar.show({
    label: "Importing MB",
    done: Math.round(bytes / megabyte),
    total: Math.ceil(totalBytes / megabyte),
    share: bytes / totalBytes,
    name: `${numberText(messages + passages)} texts`,
  });
}

/** Returns a text such as `Imported 1 conversation, 100 messages; 11 conversations, 3,300 messages already stored.` */
function importedText({ found, added }: ImportReport, verb: "Imported" | "Would import"): string {
  const stored = {
    conversations: found.conversations - added.conversations,
    messages: found.messages - added.messages,
    passages: found.passages - added.passages,
  };
  const { branches } = found;
  const branchText =
    branches === 0 ? "" : ` (the file has ${counted(branches, "branch", "branches")} besides the current threads)`;
  const storedText = countsText(stored);
  const already = storedText === "" ? "" : `; ${storedText} already stored`;
  return `${verb} ${countsText(added) || "nothing new"}${already}${branchText}.`;
}

async function importLetta(call: CommandCall): Promise<Result> {
  const { database, model } = call.line.texts;
  if (database === undefined) {
    throw new ConfigError("Missing --database URL, such as postgresql://letta:letta@localhost:5432/letta.");
  }
  const dryRun = call.line.switches.has("dry-run");
  const runtime = await call.runtime();
  const { agents, counts, notes } = await withProgressBar(call, dryRun ? null : keptAdvice, async (bar) => {
    const imported = await runtime.agents.importLetta(database, {
      dryRun,
      ...given({ model }),
      signal: call.world.signal,
      onProgress: ({ agentsDone: done, agents: total, name }) =>
        bar.show({ label: "Importing agents", done, total, share: done / total, name }),
    });
    bar.clear();
    await runtime.idle();
    return imported;
  });
  for (const note of notes) notice(call, note);
  const of = `${agents.length} ${agents.length === 1 ? "agent" : "agents"} of the database`;
  return {
    json: { agents, counts, notes, dryRun },
    text: `${dryRun ? "Would import" : "Imported"}: ${countsText(counts) || "nothing new"} (${of}).`,
  };
}
