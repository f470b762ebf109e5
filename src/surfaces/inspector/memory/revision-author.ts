// Who made a revision, in words.
// Invariant: pure; names of programs and tools are data, to be shown as text.
import type { CallResult } from "../../client/api-types.ts";

export type Revision = CallResult<"GET /agents/:agent/revisions">[number];

const origins = { model: "the agent", user: "the user", api: "a program", import: "an import" } as const;

export function authorText({ origin, client, toolName, undoes }: Revision): string {
  const who = client ?? origins[origin];
  if (undoes !== null) return `undo of revision ${undoes} by ${who}`;
  return toolName === null ? who : `${who}, with ${toolName}`;
}
