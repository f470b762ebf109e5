// The tool call that `approve` and `deny` are about.
import { ConfigError, RequestError } from "../../base/errors.ts";
import type { CommandCall } from "./command.ts";
import type { Approval } from "./runtime-records.ts";
import { wordAt } from "./parse/word-argument.ts";

/** Throws RequestError `approval_not_found`, or ConfigError when calls of several conversations have that id. */
export async function waitingCall(call: CommandCall): Promise<Approval> {
  const id = wordAt(call, 0);
  const { resume: conversation } = call.line.texts;
  const waiting = (await (await call.runtime()).approvals.list(call.agent)).filter(
    (approval) => conversation === undefined || approval.conversationId === conversation,
  );
  const matching = waiting.filter(({ callId }) => callId === id);
  const [found] = matching;
  if (found === undefined) {
    throw new RequestError(
      "approval_not_found",
      `No call ${id} of "${call.agent}" waits for approval. \`palimpsest approvals list -a ${call.agent}\` shows those that do.`,
    );
  }
  if (matching.length > 1) {
    const ids = matching.map(({ conversationId }) => conversationId).join(" or ");
    throw new ConfigError(`Calls in ${matching.length} conversations have the id ${id}: name one with -r ${ids}.`);
  }
  return found;
}
