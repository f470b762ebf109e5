// Runs an import with a progress bar.
// Invariant: after an interruption the user reads that it can be continued, except after a dry run, which has stored nothing.
import type { CommandCall } from "../command.ts";
import { notice } from "../print.ts";
import { createProgressBar, type ProgressBar } from "./progress-bar.ts";

/** Returns what `run` returns; the bar is cleared by then. */
export async function watchImport<Result>(
  call: CommandCall,
  { dryRun }: { readonly dryRun: boolean },
  run: (bar: ProgressBar) => Promise<Result>,
): Promise<Result> {
  const { signal } = call.world;
  const bar = createProgressBar(call);
  try {
    return await run(bar);
  } finally {
    bar.clear();
    if (signal.aborted && !dryRun) notice(call, "What was imported stays: the same command continues from there.");
  }
}
