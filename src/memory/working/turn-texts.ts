// What of a conversation's messages goes into working memory: what the user said, and what tools brought in.
// Invariant: pure; nothing that memory gave, so that it is not found in place of what it was taken from; each piece is short
// enough for an embedder to read, and a message's pieces have its id.
import { textOf } from "../../message/message.ts";
import type { StoredMessage } from "../records.ts";
import type { WorkingInput } from "./working-entry.ts";

/** UTF-16 units of a piece: about 250 tokens of English, half of what most embedders read. */
const pieceLength = 1000;
/** Of one message; what comes after them is found by recall, if anywhere. */
const maxPieces = 8;
const idOfPiece = /^(.{1,100})#\d$/u;

/** Before a tool's name, so that no tool can pose as the user. */
const toolPrefix = "tool ";

/** The tool that a text came from; null when the user said it. */
export function toolSource(source: string): string | null {
  return source.startsWith(toolPrefix) ? source.slice(toolPrefix.length) : null;
}

export interface TurnTextOptions {
  readonly user: string;
  /** Whether a tool brings in what is not in memory already. */
  readonly bringsIn: (toolName: string) => boolean;
}

export function turnTexts(messages: readonly StoredMessage[], options: TurnTextOptions): readonly WorkingInput[] {
  return messages.flatMap((message) => [...saidTexts(message, options), ...resultTexts(message, options)]);
}

/** The id of the message that a text was made from. */
export function messageIdOf(id: string): string {
  return idOfPiece.exec(id)?.[1] ?? id;
}

/** The ids that the texts of a message can have. */
export function textIdsOf(messageId: string): readonly string[] {
  return Array.from({ length: maxPieces }, (_, place) => textId(messageId, place));
}

function saidTexts(message: StoredMessage, { user }: TurnTextOptions): readonly WorkingInput[] {
  if (message.role !== "user" || message.kind !== "message") return [];
  return textsOf(message, textOf(message), { source: "user", user });
}

function resultTexts(message: StoredMessage, { user, bringsIn }: TurnTextOptions): readonly WorkingInput[] {
  if (message.role !== "tool" || message.kind !== "message") return [];
  const [result] = message.content.filter((part) => part.type === "tool-result");
  if (result === undefined || result.status !== "ok" || !bringsIn(result.name)) return [];
  return textsOf(message, result.text, { source: `${toolPrefix}${result.name}`, user });
}

function textsOf(
  { id, at, trust }: StoredMessage,
  text: string,
  given: Pick<WorkingInput, "source" | "user">,
): readonly WorkingInput[] {
  return piecesOf(text).map((piece, place) => ({ ...given, text: piece, id: textId(id, place), at, trust }));
}

function textId(messageId: string, place: number): string {
  return place === 0 ? messageId : `${messageId}#${place}`;
}

/** Cut at white space where there is some in the second half of a piece. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (from < text.length && pieces.length < maxPieces) {
    const end = from + pieceLength >= text.length ? text.length : cutBefore(text, from);
    pieces.push(text.slice(from, end).trim());
    from = end;
  }
  return pieces.filter((piece) => piece !== "");
}

function cutBefore(text: string, from: number): number {
  const end = from + pieceLength;
  for (let place = end; place > from + pieceLength / 2; place -= 1) {
    if (/\s/u.test(text.charAt(place))) return place;
  }
  // Not between the halves of a pair.
  return /[\ud800-\udbff]/u.test(text.charAt(end - 1)) ? end - 1 : end;
}
