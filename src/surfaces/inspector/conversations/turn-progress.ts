// Collects the state of a running turn, and the notes about the turn that no message contains.
// Invariant: pure; the same events give the same progress.
import type { AgentEvent } from "../../../agent/events.ts";
import { foldTurn, noTurn, textOfReply, type TurnState } from "../../../agent/fold-turn.ts";

export interface TurnProgress {
  readonly turn: TurnState;
  readonly notes: readonly string[];
}

export const noProgress: TurnProgress = { turn: noTurn, notes: [] };

export function progressAfter({ turn, notes }: TurnProgress, event: AgentEvent): TurnProgress {
  const note = noteOf(event);
  return { turn: foldTurn(turn, event).turn, notes: note === null ? notes : [...notes, note] };
}

/** Returns the parts of an ended turn's progress that no message contains: the end, the window and the notes. */
export function endNotes({ turn: { end, window }, notes }: TurnProgress): TurnProgress {
  return { turn: { ...noTurn, end, window }, notes };
}

/** Returns the turn's texts: `text` and `thought` of the current step, `said` of earlier steps. */
export function textsOf({ replies }: TurnState): Readonly<Record<"said" | "text" | "thought", string>> {
  const texts = replies.map((reply) => textOfReply(reply));
  const last = replies.at(-1);
  const said = texts
    .slice(0, -1)
    .filter((text) => text !== "")
    .join("\n\n");
  return { said, text: texts.at(-1) ?? "", thought: last === undefined ? "" : textOfReply(last, "thought") };
}

function noteOf(event: AgentEvent): string | null {
  switch (event.type) {
    case "retry":
      return `Attempt ${event.attempt}: ${event.reason}`;
    case "memory-revert":
      return `Reverted: ${event.edits.map(({ label }) => label).join(", ")}`;
    case "compaction":
      return `Compaction: ${event.messages} messages, ${event.tokensBefore} to ${event.tokensAfter} tokens`;
    case "warning":
      return event.message;
    case "turn-queued":
      return `Waits for ${event.holder ?? "another turn"}; ${event.ahead} before it`;
    default:
      return null;
  }
}
