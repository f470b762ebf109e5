// Converts passages between rows and records.
// Invariant: the hash covers the text as PostgreSQL stores it, so a text that is added again has the same hash.
import { createHash } from "node:crypto";
import { storableText } from "../../base/code-points.ts";
import type { NewPassage, PassageRecord, SourceLocation } from "../port/passage-store.ts";
import type { ChangeCause } from "../port/records.ts";
import { foldText } from "../../base/fold-text.ts";
import { givenTrust } from "../agents/module-changes.ts";
import { indexedTerms } from "../search/lexical-terms.ts";
import { timeOf, timeText } from "../stored-values.ts";

type SameFields = "id" | "tags" | "kind" | "origin" | "trust" | "external" | "importance";

/** A passage as a row. `external` is absent if the query does not select it. */
export interface PassageRow extends Pick<PassageRecord, SameFields> {
  readonly content: string;
  /** The time of creation; a text if the row was read as JSON. */
  readonly created_at: Date | string;
  readonly source_id: string | null;
  readonly source_name: string | null;
  readonly place: SourceLocation | null;
  readonly replaced_by: string | null;
  /** The conversation in which the passage was added; absent if the query does not select it. */
  readonly conversation_id?: string | null;
  readonly message_id?: string | null;
}

/** How passages were added: by whom, in which conversation, and from which texts. */
export type PassageCause = Omit<ChangeCause, "client" | "toolName">;

export function passageOfRow(row: PassageRow): PassageRecord {
  return {
    id: row.id,
    text: row.content,
    tags: row.tags,
    kind: row.kind,
    origin: row.origin,
    trust: row.trust,
    ...(row.external === undefined ? {} : { external: row.external }),
    importance: row.importance,
    at: timeOf(row.created_at),
    ...(typeof row.conversation_id === "string" ? { conversationId: row.conversation_id } : {}),
    ...(typeof row.message_id === "string" ? { messageId: row.message_id } : {}),
    ...(row.replaced_by === null ? {} : { replacedBy: row.replaced_by }),
    source: row.source_id === null ? null : { id: row.source_id, name: row.source_name ?? "", location: row.place },
  };
}

/** Returns the hash that identifies a text in an archive, in hexadecimal digits. */
export function contentHash(text: string): string {
  return createHash("sha256").update(storableText(text)).digest("hex");
}

/** Returns passages in the form that `addPassages` takes. */
export function passageRows(passages: readonly NewPassage[], cause: PassageCause) {
  const { origin, conversationId, messageId, callId, external = [] } = cause;
  return passages.map(({ text, at, trust: given, importance = 0.5, replaces = [], ...passage }, number) => {
    const trust = passage.kind === "document" ? "external" : givenTrust(origin, given ?? cause.trust);
    // The model writes the tags even of a user's text, so a passage with tags always records the external sources.
    const hasSources = trust === "external" || passage.tags.length > 0;
    return {
      ...passage,
      ...searchedText(text),
      importance,
      replaces,
      number,
      origin,
      conversationId,
      messageId,
      callId,
      trust,
      external: hasSources ? external : [],
      createdAt: timeText(at),
    };
  });
}

/** Returns the columns of a passage that are made from its text. */
export function searchedText(text: string) {
  const content = storableText(text);
  const searchText = foldText(content);
  return { content, searchText, terms: indexedTerms(searchText), contentHash: contentHash(content) };
}
