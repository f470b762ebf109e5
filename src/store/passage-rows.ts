// Passages between their form in the program and their rows.
// Invariant: the hash is that of the text as it is stored, so what is stored once cannot come back spelled otherwise.
import { createHash } from "node:crypto";
import { storableText } from "../base/code-points.ts";
import type { NewPassage, Origin, PassageRecord } from "../memory/records.ts";
import { foldText } from "./fold-text.ts";
import { storableJson } from "./storable-json.ts";

export interface PassageRow {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly kind: PassageRecord["kind"];
  readonly origin: Origin;
  readonly created_at: string;
}

/** Where passages come from. */
export interface PassageCause {
  readonly origin: Origin;
  readonly conversationId?: string;
}

export function passageOfRow(row: PassageRow): PassageRecord {
  return {
    id: row.id,
    content: row.content,
    tags: row.tags,
    kind: row.kind,
    origin: row.origin,
    at: new Date(row.created_at),
  };
}

/** Passages as `addPassages` takes them. */
export function passagesAsJson(passages: readonly NewPassage[], cause: PassageCause): string {
  return storableJson(
    passages.map((passage, number) => {
      const content = storableText(passage.content);
      return {
        id: passage.id,
        conversation_id: cause.conversationId ?? null,
        kind: passage.kind,
        tags: passage.tags,
        origin: cause.origin,
        content,
        search_text: foldText(content),
        content_hash: createHash("sha256").update(content).digest("hex"),
        created_at: passage.at?.toISOString() ?? null,
        number,
      };
    }),
  );
}
