// Converts passages of sources to rows.
// Invariant: the hash covers the text, its file and its location, so that each file has its own passages, and the same
// text in two files keeps both citations.
import { createHash } from "node:crypto";
import { storableJson, storableText } from "../../base/code-points.ts";
import type { SourcePassage } from "../port/source-store.ts";
import { foldText } from "../../base/fold-text.ts";
import { indexedTerms } from "../search/lexical-terms.ts";

/** A passage in the form that `addSourcePassages` takes. */
export interface SourcePassageRow {
  readonly id: string;
  readonly place: SourcePassage["place"];
  readonly content: string;
  readonly search_text: string;
  readonly terms: string | null;
  /** In hexadecimal digits. */
  readonly content_hash: string;
}

export function sourcePassageRow(passage: SourcePassage, fileId: string): SourcePassageRow {
  const content = storableText(passage.text);
  const folded = foldText(content);
  const identity = storableJson([fileId, passage.place, content]);
  return {
    id: passage.id,
    place: passage.place,
    content,
    search_text: folded,
    terms: indexedTerms(folded),
    content_hash: createHash("sha256").update(identity).digest("hex"),
  };
}
