// `palimpsest memory checkout`, `status`, `commit` and `log`: memory as files in a folder.
import path from "node:path";
import { type CommandCall, commandTable, type Result } from "../command.ts";
import { checkOut, type CheckoutReport, commit, requireState, status } from "../checkout/checkout.ts";
import type { Difference } from "../checkout/compare.ts";
import { readLog } from "../checkout/git-history.ts";
import { exitCodes } from "../exit-codes.ts";
import { changeLines, minute } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/flag-values.ts";
import { oneLine } from "../print.ts";

const defaultLog = 20;

export const commands = commandTable({
  "memory checkout": {
    usage: "DIR",
    summary: "write memory as files into a folder, with a git history",
    details:
      "In a folder that is a checkout already, it updates the files that were not edited. `memory commit` writes edits back.\n" +
      "The folder is a copy: `forget` does not reach it.",
    flags: ["agent", "json"],
    async run(call, folder) {
      const runtime = await call.runtime();
      const { id, name } = await runtime.agents.find(call.agent);
      const report = await checkOut(runtime.memoryFiles, path.resolve(folder), { id, name });
      const text = `${report.updated.length} ${report.updated.length === 1 ? "file" : "files"} of ${name} written.`;
      return { ...reported(report), text: [text, ...unfinished(call, report)].join("\n") };
    },
  },
  "memory status": {
    usage: "[DIR]",
    summary: "show what differs between a checkout and memory",
    flags: ["json"],
    async run(call, folder = ".") {
      const differences = await status((await call.runtime()).memoryFiles, path.resolve(folder));
      const lines = differences.map(({ kind, name, problem }) => `${kinds[kind]}  ${name}${because(problem)}`);
      return { json: differences.map(shownDifference), text: lines.join("\n") || "There are no differences." };
    },
  },
  "memory commit": {
    usage: "[DIR] [--deletes]",
    summary: "write the edits of a checkout to memory",
    details:
      "An edit is written if memory still has the text that it was made from. Otherwise memory's text is written beside the\n" +
      "file, as NAME.conflict: put both together in the file, remove NAME.conflict, and commit again.",
    flags: ["deletes", "json"],
    async run(call, folder = ".") {
      const deletes = call.line.switches.has("deletes");
      const report = await commit((await call.runtime()).memoryFiles, path.resolve(folder), { deletes });
      const done = report.committed.map((name) => `written    ${name}`);
      return {
        ...reported(report),
        text: [...done, ...unfinished(call, report)].join("\n") || "There is nothing to write.",
      };
    },
  },
  "memory log": {
    usage: "[DIR]",
    summary: "show the history of a checkout, newest first",
    flags: ["limit", "json"],
    withoutStore: true,
    async run(call, folder = ".") {
      await requireState(path.resolve(folder));
      const commits = await readLog(path.resolve(folder), limitFlag(call.line) ?? defaultLog);
      const lines = commits.map(
        ({ commit: id, at, by, subject }) => `${id.slice(0, 8)}  ${minute(new Date(at))}  ${by}  ${subject}`,
      );
      return { json: commits, text: lines.join("\n") };
    },
  },
});

/** The words for the kinds of differences, padded to the same length. */
const kinds: Readonly<Record<Difference["kind"], string>> = {
  edited: "edited    ",
  added: "new       ",
  removed: "removed   ",
  incoming: "in memory ",
  agreed: "same text ",
  conflict: "conflict  ",
  unresolved: "unresolved",
  problem: "problem   ",
};

/** Returns the differences of a checkout as a diff: lines in memory count as removed, lines in the folder as added. */
export async function checkoutDiff(call: CommandCall, folder: string): Promise<Result> {
  const differences = await status((await call.runtime()).memoryFiles, path.resolve(folder));
  const shown = differences.filter(({ kind }) => kind !== "agreed");
  const lines = shown.flatMap(({ name, kind, mine, theirs, problem }) => [
    `${name} (${kinds[kind].trim()})${because(problem)}`,
    ...(kind === "incoming" || kind === "problem" ? [] : changeLines(theirs?.text ?? "", mine ?? "")),
  ]);
  return { json: differences.map(shownDifference), text: lines.join("\n") || "There are no differences." };
}

function shownDifference({ name, path: of, kind, mine, theirs, problem }: Difference): object {
  return {
    name,
    path: of,
    kind,
    before: theirs?.text ?? null,
    after: mine,
    ...(problem === undefined ? {} : { problem }),
  };
}

function because(problem: string | undefined): string {
  return problem === undefined ? "" : `: ${problem}`;
}

function reported(report: CheckoutReport): Pick<Result, "json" | "exitCode"> {
  const isDone = report.conflicts.length + report.refused.length === 0;
  return { json: report, exitCode: isDone ? exitCodes.done : exitCodes.failed };
}

function unfinished(
  { world }: Pick<CommandCall, "world">,
  { conflicts, removed, refused }: CheckoutReport,
): readonly string[] {
  const kept = removed.filter((name) => refused.every((refusal) => refusal.name !== name));
  return [
    ...conflicts.map((name) => `conflict   ${name}: merge ${name}.conflict, remove it, and commit again`),
    ...kept.map((name) => {
      const isPassage = name.startsWith("archive/");
      const how = isPassage ? "archival remove deletes the passage" : "--deletes removes it from memory, too";
      return `kept       ${name}: it is not in the folder; ${how}`;
    }),
    ...refused.map(({ name, problem }) => `refused    ${name}: ${oneLine(world, problem)}`),
  ];
}
