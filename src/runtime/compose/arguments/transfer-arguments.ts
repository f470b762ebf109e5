// The arguments and options of the functions that move agents, with the check of each.
// Invariant: only shapes are checked here; what is moved is checked where it is read.
import {
  anything,
  callback,
  type CallChecks,
  flag,
  later,
  oneOf,
  optional,
  options,
  signal,
  text,
  textOr,
} from "../../../base/arguments/argument-checks.ts";
import type { AgentImportOptions, LettaImportOptions } from "../../agent-files.ts";
import type { AgentOperations } from "../../agents.ts";

export const transferChecks: Pick<CallChecks<AgentOperations>, "import" | "importLetta"> = {
  import: later(
    ["file", anything],
    [
      "options",
      optional(
        options<AgentImportOptions>({
          name: optional(text),
          suffix: optional(text),
          model: optional(text),
          embedding: optional(text),
          withoutMessages: optional(flag),
          existingTools: optional(oneOf("keep", "replace")),
          keepTrust: optional(flag),
        }),
      ),
    ],
  ),
  importLetta: later(
    ["databaseUrl", textOr("Pass the address of Letta's PostgreSQL database: postgresql://user:password@host/name.")],
    [
      "options",
      optional(
        options<LettaImportOptions>({
          dryRun: optional(flag),
          model: optional(text),
          onProgress: optional(callback),
          signal: optional(signal),
        }),
      ),
    ],
  ),
};
