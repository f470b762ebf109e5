// `palimpsest doctor` and `palimpsest eval`: check and repair the installation, and measure memory.
import { largest } from "../../../base/lists.ts";
import { ConfigError, StoreError } from "../../../base/errors.ts";
import type { Doctor, DoctorReport, Finding } from "../../../runtime/doctor/contract.ts";
import { surfaceText } from "../../surface-words.ts";
import { type CommandCall, commandTable, type Result } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { alignColumns } from "../format/listing-texts.ts";
import { wrapWords } from "../format/wrap-words.ts";
import { settingsOf } from "../parse/flag-values.ts";
import { confirm, notice } from "../print.ts";
import type { World } from "../world.ts";

export const commands = commandTable({
  doctor: {
    usage: "[--online] [--repair] | --unlock",
    summary: "check the installation",
    details:
      "Each check is ok, a warning or failed, with advice; the exit code is 1 when one has failed. The doctor changes nothing\n" +
      "without --repair or --unlock, and sends nothing off this machine without --online.",
    flags: ["online", "repair", "unlock", "yes", "model", "base-url", "openai-api", "json"],
    run: doctor,
  },
  eval: {
    usage: "[FILE…]",
    summary: "measure search and answers on shipped or own cases",
    details:
      "Without --judge it needs no key: it measures how often the search finds the evidence, and how often its first page\n" +
      "leads to a wrong answer; talks are held by a scripted reader, and --limit leaves them out. With --judge, --model answers\n" +
      "and the judge compares. It uses a temporary store.\n" +
      "An evaluation with --out that was interrupted is continued. docs/evals.md explains the figures.",
    flags: [
      "format",
      "model",
      "judge",
      "runs",
      "limit",
      "out",
      "min-recall",
      "max-junk",
      "max-missed",
      "min-score",
      "embedding",
      "yes",
      "json",
      "config",
    ],
    withoutStore: true,
    takes: { min: 0, max: 100 },
    // The evaluation's code is loaded only here, because no other command needs it.
    run: async (call) => (await import("../eval/run-eval-command.ts")).runEvalCommand(call),
  },
});

async function doctor(call: CommandCall): Promise<Result> {
  const opened = await openedDoctor(call);
  if ("text" in opened) return opened;
  try {
    return call.line.switches.has("unlock") ? await unlock(call, opened) : await examine(call, opened);
  } finally {
    await opened.close();
  }
}

/** Returns the opened doctor. If the configuration cannot be read, returns a report of this failure and of the terminal. */
async function openedDoctor(call: CommandCall): Promise<Awaited<ReturnType<World["openDoctor"]>> | Result> {
  const { world, line } = call;
  try {
    return await world.openDoctor(settingsOf(line), (text) => notice(call, text));
  } catch (error) {
    if (!(error instanceof ConfigError) || line.switches.has("unlock")) throw error;
    const advice = "Fix the configuration first: the other checks need it.";
    const broken = { check: "configuration", verdict: "failed", found: world.hide(error.message), advice } as const;
    return reported(world, { findings: [broken, terminalFinding(world)], repairs: [] });
  }
}

async function examine(call: CommandCall, opened: Doctor): Promise<Result> {
  const { world, line } = call;
  const online = line.switches.has("online");
  const report = await opened.examine({ online, repair: line.switches.has("repair"), signal: world.signal });
  const findings = [...report.findings, terminalFinding(world)];
  return reported(world, { ...report, findings });
}

function reported(world: World, { findings, repairs }: DoctorReport): Result {
  const { command } = world;
  const named = findings.map((finding) => ({
    ...finding,
    found: surfaceText(finding.found, "command-line", command),
    advice: finding.advice === null ? null : surfaceText(finding.advice, "command-line", command),
  }));
  const text = reportText({ findings: named, repairs }, sizeOf(world.stdout).columns);
  const exitCode = findings.some(({ verdict }) => verdict === "failed") ? exitCodes.failed : exitCodes.done;
  return { json: { findings, repairs }, text, exitCode };
}

/** Minimum width of the table's text column, in columns of the terminal. A narrower one would show one word per line. */
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

async function unlock(call: CommandCall, opened: Doctor): Promise<Result> {
  if (call.line.switches.has("repair") || call.line.switches.has("online")) {
    throw new ConfigError("--unlock cannot be combined: run it first, then doctor with --repair or --online.");
  }
  const { kind, finding } = await opened.lock();
  if (kind === "held") throw new StoreError("store_locked", heldText(finding));
  const kept = { removed: false };
  if (kind === "free") return { json: kept, text: `${finding.found} There is no lock to remove.` };
  if (!(await isConfirmed(call, finding))) return { json: kept, text: "Nothing was changed." };
  await opened.unlock();
  return {
    json: { removed: true },
    text: "Removed the lock. The next palimpsest process can open the data folder.",
  };
}

function heldText({ found, advice }: Finding): string {
  return `${found} ${advice ?? "The data folder is in use, as expected."} The lock was not changed.`;
}

async function isConfirmed({ world, line }: CommandCall, { found }: Finding): Promise<boolean> {
  if (line.switches.has("yes")) return true;
  const consequence =
    "Removing the lock lets another palimpsest open the data folder. If the process that holds the lock still runs, the two corrupt the data.";
  if (world.isTerminal) return confirm(world, `${found}\n${consequence}\nRemove it?`);
  throw new ConfigError(`${found} ${consequence} If you are sure that the process has ended, add --yes.`);
}

// Minimum size of the terminal. In a smaller terminal, the chat's own lines do not fit.
const minColumns = 40;
const minRows = 10;

type Terminal = Pick<World, "isTerminal" | "hasColor" | "hasUtf8" | "terminalName" | "stdout">;

export function terminalFinding(terminal: Terminal): Finding {
  const { isTerminal, hasUtf8, terminalName } = terminal;
  const { columns, rows } = sizeOf(terminal.stdout);
  const facts = [
    isTerminal ? "a terminal" : "no terminal: the chat works line by line",
    ...(terminalName === null ? [] : [`TERM=${terminalName}`]),
    ...(columns === null || rows === null ? [] : [`${columns} columns and ${rows} rows`]),
    coloursOf(terminal),
    hasUtf8 ? "UTF-8" : "no UTF-8",
  ];
  const advice = adviceFor(terminal, { columns, rows });
  return { check: "terminal", verdict: advice === null ? "ok" : "warning", found: `${facts.join(", ")}.`, advice };
}

type Size = ReturnType<typeof sizeOf>;

/** Returns the columns and rows of the terminal; each is null for an output without it, such as a file. */
function sizeOf(stdout: World["stdout"]) {
  const number = (value: unknown): number | null => (typeof value === "number" && value > 0 ? value : null);
  return {
    columns: "columns" in stdout ? number(stdout.columns) : null,
    rows: "rows" in stdout ? number(stdout.rows) : null,
  };
}

/** Returns the number of colours in words, by the colour depth that Node reports. */
function coloursOf({ hasColor, stdout }: Terminal): string {
  if (!hasColor) return "no colours";
  const isAsked = "getColorDepth" in stdout && typeof stdout.getColorDepth === "function";
  const bits: unknown = isAsked ? (stdout.getColorDepth as () => unknown)() : null;
  if (bits === 24) return "16 million colours";
  return typeof bits === "number" && bits > 1 ? `${2 ** bits} colours` : "colours";
}

function adviceFor({ terminalName, hasUtf8 }: Terminal, { columns, rows }: Size): string | null {
  if (terminalName === "dumb" && columns !== null) {
    return "Set TERM to the terminal's type, such as xterm-256color: with dumb, the chat works line by line.";
  }
  if (!hasUtf8) return "Set LANG to a UTF-8 locale, such as C.UTF-8: without it, letters beyond ASCII may be garbled.";
  if (columns !== null && columns < minColumns) {
    return `Make the window wider: the chat needs ${minColumns} columns.`;
  }
  return rows !== null && rows < minRows ? `Make the window higher: the chat needs ${minRows} rows.` : null;
}
