// Finds the place of a message in its turn, because a thread shows the messages of a turn in one frame.
// Invariant: pure. The messages of a turn follow each other on a thread.

/** The loaded part of a thread. */
interface LoadedMessages {
  /** The messages, oldest first. */
  readonly messages: readonly { readonly turnId: string; readonly role: string }[];
  readonly hasNewer: boolean;
}

export interface TurnPlace {
  /** Whether no message after this one belongs to the turn. */
  readonly isLast: boolean;
  /** Whether the message is the first loaded one of the turn, or has another author than the message before it. */
  readonly isNamed: boolean;
  /** The classes for the part of the frame around the message, each after a space. */
  readonly frame: string;
}

/** Returns the place of the message at this index. */
export function placeInTurn({ messages, hasNewer }: LoadedMessages, at: number): TurnPlace {
  const [before, message, after] = [messages[at - 1], messages[at], messages[at + 1]];
  const isFirst = before?.turnId !== message?.turnId;
  const isLast = after === undefined ? !hasNewer : after.turnId !== message?.turnId;
  const isNamed = isFirst || before?.role !== message?.role;
  const frame = `${isFirst ? " turn-first" : ""}${isLast ? " turn-last" : ""}${isNamed ? "" : " more"}`;
  return { isLast, isNamed, frame };
}
