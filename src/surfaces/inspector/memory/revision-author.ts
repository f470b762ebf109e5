// Describes in words who made a revision.
// Invariant: pure; names of programs are returned unchanged, and must be shown as text.
import type { CallResult } from "../../client/api-types.ts";

export type Revision = CallResult<"GET /agents/:agent/revisions">[number];

/** Who wrote a revision or a passage, by its origin. */
export const originTexts = { model: "the agent", user: "the user", api: "a program", import: "an import" } as const;

/** Whether a revision records a forgetting. `before` and `after` are equal: the forgotten text was removed from both. */
export function isForgetting({ toolName, before, after }: Revision): boolean {
  return toolName === "forget" && before === after;
}

/** Whether a revision records the import of a module. `before` and `after` are equal: the module began with this text. */
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
