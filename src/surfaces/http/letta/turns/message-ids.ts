// The ids of shown messages. One stored message is shown as several, with its id or an id derived from its id.

/** What an id refers to, if not to the message with its UUID. */
export type IdMark =
  /** The results of a message's calls, or, with the UUID of a conversation, the prompt of that conversation. */
  | "derived"
  /** The decisions about a message's calls. */
  | "decision";

const prefix = "message-";

// The first digit of the third group is the UUID's version; the first of the fourth group is its variant, 8 to b.
const form = /^([\da-f]{8}-[\da-f]{4}-)([\da-f])([\da-f]{3}-)([\da-f])([\da-f]{3}-[\da-f]{12})$/u;
const marks: Readonly<Record<IdMark, readonly [version: number, variant: number]>> = {
  derived: [0, 4],
  decision: [8, 0],
};

/** Returns the id that Letta shows for a UUID. Throws TypeError for another text. */
export function messageId(uuid: string, mark: IdMark | null = null): string {
  if (mark === null) return `${prefix}${uuid}`;
  const [start, version, middle, variant, end] = partsOf(uuid);
  const [inVersion, inVariant] = marks[mark];
  const flipped = [flip(version, inVersion), flip(variant, inVariant)];
  return `${prefix}${start}${flipped[0]}${middle}${flipped[1]}${end}`;
}

export interface ReadMessageId {
  readonly uuid: string;
  readonly mark: IdMark | null;
}

/** Returns the UUID and the mark of an id; null if the text is not the id of a message. */
export function readMessageId(id: string): ReadMessageId | null {
  const match = id.startsWith(prefix) ? form.exec(id.slice(prefix.length).toLowerCase()) : null;
  if (match === null) return null;
  const [start, version, middle, variant, end] = match.slice(1) as Parts;
  const isDerived = (Number.parseInt(variant, 16) & 4) !== 0;
  const isDecision = !isDerived && (Number.parseInt(version, 16) & 8) !== 0;
  const uuid = `${start}${isDecision ? flip(version, 8) : version}${middle}${isDerived ? flip(variant, 4) : variant}${end}`;
  return { uuid, mark: isDerived ? "derived" : isDecision ? "decision" : null };
}

/**
 * Returns the `otid` of a shown message. Its last seven bits are `index`, the number among the messages with this id.
 */
export function otidOf(id: string, index: number): string {
  const uuid = id.slice(prefix.length);
  const lastByte = (Number.parseInt(uuid.slice(-2), 16) & 0x80) | (index & 0x7f);
  return `${uuid.slice(0, -2)}${lastByte.toString(16).padStart(2, "0")}`;
}

/** Returns the id of a reply's step. It contains the reply's UUID, which is known before the step is stored. */
export function stepId(replyUuid: string): string {
  return `step-${replyUuid}`;
}

type Parts = [start: string, version: string, middle: string, variant: string, end: string];

function partsOf(uuid: string): Parts {
  const match = form.exec(uuid);
  if (match === null) throw new TypeError(`Expected a UUID, got "${uuid}".`);
  return match.slice(1) as Parts;
}

function flip(digit: string, bits: number): string {
  return (Number.parseInt(digit, 16) ^ bits).toString(16);
}
