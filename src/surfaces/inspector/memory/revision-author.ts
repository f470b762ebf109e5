// Who made a revision, in words.
// Invariant: pure; names of programs are data, to be shown as text.
import type { CallResult } from "../../client/api-types.ts";

export type Revision = CallResult<"GET /agents/:agent/revisions">[number];

/** Who wrote a revision or a passage, by its origin. */
export const originTexts = { model: "the agent", user: "the user", api: "a program", import: "an import" } as const;

/** Whether a revision records a forgetting. Its texts are equal: the forgotten text was removed from both. */
export function isForgetting({ toolName, before, after }: Revision): boolean {
  return toolName === "forget" && before === after;
}

/** Whether a revision records the import of a module. Its texts are equal: the import created the module with its text. */
export function isImport({ origin, before, after }: Revision): boolean {
  return origin === "import" && before === after;
}

export function authorText(revision: Revision): string {
  const { origin, client, undoes } = revision;
  const who = client ?? originTexts[origin];
  if (undoes !== null) return `undo of revision ${undoes} by ${who}`;
  if (!isForgetting(revision)) return who;
  return origin === "model" ? "a forgetting by the agent" : "a forgetting";
}
