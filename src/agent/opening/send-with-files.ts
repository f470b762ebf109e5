// Begins a turn with a message that has files: the files are stored first, and the message refers to them.
// Invariant: stored files are deleted again if their message is neither committed nor queued.
import type { FileInput } from "../../message/file-part.ts";
import type { ContentPart } from "../../message/message.ts";
import type { LeaseRequest } from "../lease/await-lease.ts";
import type { AgentEvent } from "../events.ts";
import { openTurn } from "./open-turn.ts";
import type { TurnOpening } from "../run-turn.ts";
import type { AgentDeps } from "../turn.ts";

export interface SentMessage {
  /** May be blank if there are files. */
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
  const textParts: readonly ContentPart[] = text.trim() === "" ? [] : [{ type: "text", text }];
  const input = { idempotencyKey, content: [...textParts, ...kept] };
  let isBegun = false;
  try {
    const opening = yield* openTurn(deps, { ...request, input });
    isBegun = true;
    return opening;
  } finally {
    // Also if the caller has stopped iterating. A failure here would hide the original error.
    if (!isBegun) await deps.attachments.discard(kept).catch(() => undefined);
  }
}
