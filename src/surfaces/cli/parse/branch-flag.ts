// Converts `--all-branches` to a runtime option.
import type { RecallOptions } from "../../../runtime/recall.ts";
import type { CommandLine } from "./parse-command-line.ts";

export function branchFlag({ switches }: CommandLine): Pick<RecallOptions, "includeAbandoned"> {
  return switches.has("all-branches") ? { includeAbandoned: true } : {};
}
