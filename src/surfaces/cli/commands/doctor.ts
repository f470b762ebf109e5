// `palimpsest doctor`: checks the installation, repairs some faults, and removes a stale lock.
import { largest } from "../../../base/lists.ts";
import { surfaceText } from "../../surface-words.ts";
import { ConfigError, StoreError } from "../../../base/errors.ts";
import type { Doctor, DoctorReport, Finding } from "../../../runtime/doctor.ts";
import { alignColumns } from "../format/align-columns.ts";
import type { Command, CommandCall } from "../command.ts";
import { confirm } from "../confirm.ts";
import { exitCodes } from "../exit-codes.ts";
import { storeFlags } from "../parse/flags.ts";
import { notice, printResult } from "../print.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { terminalFinding } from "../format/terminal-finding.ts";
import type { World } from "../world.ts";
import { wrapWords } from "../format/wrap-words.ts";

export const doctor: Command = {
  words: ["doctor"],
  usage: "[--online] [--repair] | --unlock",
  summary: "check the installation",
  details:
    "Each check is ok, a warning or failed, with advice; the exit code is 1 when one has failed. The doctor changes nothing\n" +
    "without --repair or --unlock, and sends nothing off this machine without --online.",
  flags: ["online", "repair", "unlock", "yes", "model", "base-url", "openai-api", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const opened = await openedDoctor(call);
    if (opened === null) return exitCodes.failed;
    try {
      return call.line.switches.has("unlock") ? await unlock(call, opened) : await examine(call, opened);
    } finally {
      await opened.close();
    }
  },
};

/** Null for an unreadable configuration, which is the only finding then: nothing else can be checked. */
async function openedDoctor(call: CommandCall): Promise<Awaited<ReturnType<World["openDoctor"]>> | null> {
  const { world, line } = call;
  try {
    return await world.openDoctor(settingsOf(line), (text) => notice(call, text));
  } catch (error) {
    if (!(error instanceof ConfigError) || line.switches.has("unlock")) throw error;
    const advice = "Fix that first; the other checks need it.";
    const broken = { check: "configuration", verdict: "failed", found: world.hide(error.message), advice } as const;
    printReport(call, { findings: [broken, terminalFinding(world)], repairs: [] });
    return null;
  }
}

async function examine(call: CommandCall, opened: Doctor): Promise<number> {
  const { world, line } = call;
  const online = line.switches.has("online");
  const report = await opened.examine({ online, repair: line.switches.has("repair"), signal: world.signal });
  const findings = [...report.findings, terminalFinding(world)];
  printReport(call, { ...report, findings });
  return findings.some(({ verdict }) => verdict === "failed") ? exitCodes.failed : exitCodes.done;
}

function printReport(call: CommandCall, { findings, repairs }: DoctorReport): void {
  const { command } = call.world;
  const named = findings.map((finding) => ({
    ...finding,
    found: surfaceText(finding.found, "command-line", command),
    advice: finding.advice === null ? null : surfaceText(finding.advice, "command-line", command),
  }));
  const text = reportText({ findings: named, repairs }, columnsOf(call.world));
  printResult(call, { json: { findings, repairs }, text });
}

/** Width of the terminal in columns; null if the output has no width, such as a file. */
function columnsOf({ stdout }: World): number | null {
  return "columns" in stdout && typeof stdout.columns === "number" && stdout.columns > 0 ? stdout.columns : null;
}

/** Minimum width of the text column; a narrower one would contain single words. */
const minRoom = 24;

function reportText({ findings, repairs }: DoctorReport, columns: number | null): string {
  const before =
    "warning".length +
    largest(
      findings.map(({ check }) => check.length),
      0,
    ) +
    4;
  const room = columns === null ? Number.POSITIVE_INFINITY : Math.max(minRoom, columns - before);
  const indented = (text: string): readonly (readonly string[])[] =>
    wrapWords(text, room)
      .split("\n")
      .map((line) => ["", "", line]);
  const rows = findings.flatMap(({ check, verdict, found, advice }) => {
    const [first, ...rest] = indented(found);
    return [[verdict, check, first?.[2] ?? ""], ...rest, ...(advice === null ? [] : indented(advice))];
  });
  const counted = (["ok", "warning", "failed"] as const).map(
    (verdict) => `${findings.filter((finding) => finding.verdict === verdict).length} ${verdict}`,
  );
  return [...repairs, alignColumns(rows), "", `${findings.length} checks: ${counted.join(", ")}.`].join("\n");
}

async function unlock(call: CommandCall, opened: Doctor): Promise<number> {
  if (call.line.switches.has("repair") || call.line.switches.has("online")) {
    throw new ConfigError("--unlock cannot be combined: run it first, then doctor with --repair or --online.");
  }
  const { kind, finding } = await opened.lock();
  if (kind === "held") throw new StoreError("store_locked", heldText(finding));
  if (kind === "free") return report(call, { removed: false, text: `${finding.found} There is no lock to remove.` });
  if (!(await isConfirmed(call, finding))) return report(call, { removed: false, text: "Nothing was changed." });
  await opened.unlock();
  return report(call, {
    removed: true,
    text: "Removed the lock. The next palimpsest process can open the data folder.",
  });
}

function heldText({ found, advice }: Finding): string {
  return `${found} ${advice ?? "The data folder is in use, as expected."} The lock was not changed.`;
}

async function isConfirmed({ world, line }: CommandCall, { found }: Finding): Promise<boolean> {
  if (line.switches.has("yes")) return true;
  const consequence =
    "Removing the lock lets another palimpsest open the data folder. If that process still runs, the two corrupt the data.";
  if (world.isTerminal) return confirm(world, `${found}\n${consequence}\nRemove it?`);
  throw new ConfigError(`${found} ${consequence} If you are sure that it has ended, add --yes.`);
}

function report(call: CommandCall, { removed, text }: { readonly removed: boolean; readonly text: string }): number {
  printResult(call, { json: { removed }, text });
  return exitCodes.done;
}
