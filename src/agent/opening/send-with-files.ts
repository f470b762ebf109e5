// Begins a turn with a message that has files: they are stored first, and its content names them.
// Invariant: what was stored for a message that is not committed, and does not wait to be, is dropped again.
import type { FileInput } from "../../message/file-part.ts";
import type { ContentPart } from "../../message/message.ts";
import type { LeaseRequest } from "../lease/await-lease.ts";
import type { AgentEvent } from "../events.ts";
import { openTurn } from "./open-turn.ts";
import type { TurnOpening } from "../run-turn.ts";
import type { AgentDeps } from "../turn.ts";

export interface SentMessage {
  /** May be blank: then the files are the message. */
  readonly text: string;
  readonly files: readonly FileInput[];
  readonly idempotencyKey: string;
}

export async function* sendWithFiles(
  deps: AgentDeps,
  request: LeaseRequest,
  { text, files, idempotencyKey }: SentMessage,
): AsyncGenerator<AgentEvent, TurnOpening> {
  const kept = await deps.attachments.keep(deps.conversationId, files);
  const said: readonly ContentPart[] = text.trim() === "" ? [] : [{ type: "text", text }];
  const input = { idempotencyKey, content: [...said, ...kept] };
  let isBegun = false;
  try {
    const opening = yield* openTurn(deps, { ...request, input });
    isBegun = true;
    return opening;
  } finally {
    // Also when nobody waits for the turn any more. A failure here would hide the one that led here.
    if (!isBegun) await deps.attachments.discard(kept).catch(() => undefined);
  }
}
