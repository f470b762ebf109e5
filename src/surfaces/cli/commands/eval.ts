// `palimpsest eval`. The rest is loaded when it runs: no other command needs it.
import type { Command } from "../command.ts";

export const evalCommand: Command = {
  words: ["eval"],
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
  takes: { min: 0, max: 100 },
  async run(call) {
    const { runEvalCommand } = await import("../eval/run-eval-command.ts");
    return runEvalCommand(call);
  },
};
