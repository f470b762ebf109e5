// Removes forgotten texts from passages of archives and of sources.
// Invariant: a text stays unique within its archive; a passage is deleted if no other text remains in it.
import { storableJson } from "../../base/code-points.ts";
import { createHash } from "node:crypto";
import { foldText } from "../../base/fold-text.ts";
import { forgottenMark } from "../../base/redactor.ts";
import type { ForgottenPlace } from "../port/forgetting-store.ts";
import type { PassageRow } from "../archive/passage-rows.ts";
import { redactJson } from "../../base/message/forget-content.ts";
import { indexedTerms } from "../search/lexical-terms.ts";
import type { SqlParameter } from "../stored-values.ts";
import { type ForgettingWork, pagesById } from "./forgetting-work.ts";

export interface ForgottenPassages {
  readonly places: readonly ForgottenPlace[];
  readonly ids: readonly string[];
  /** Writes the changes. Call it after synopses are searched, because a trigger empties the synopses of a deleted passage. */
  readonly write: () => Promise<void>;
}

interface FoundRow extends Pick<PassageRow, "id" | "source_id" | "place" | "tags" | "content"> {
  readonly file_id: string | null;
}

const pageOfPassages = `
select id, file_id, source_id, place, to_jsonb(tags) as tags, content from passages
where user_id = $1 and id > $2::uuid order by id limit $3::int`;

const deletePassage = "delete from passages where user_id = $1 and id = $2::uuid";

/** Redacts a passage, unless another passage of its archive already has the redacted text. */
const changePassage = `
update passages p
set content = $3, search_text = $4, terms = $5::tsvector, content_hash = decode($6, 'hex'), place = $7::text::jsonb,
  tags = array(select jsonb_array_elements_text($8::text::jsonb))
where p.user_id = $1 and p.id = $2::uuid and not exists (
  select from passages o
  where o.user_id = $1 and o.archive_id = p.archive_id and o.id <> p.id and o.content_hash = decode($6, 'hex')
)
returning 1`;

export async function forgetPassages(work: ForgettingWork): Promise<ForgottenPassages> {
  const { tx, userId, request } = work;
  const removed = new Set(request.passages);
  const places: ForgottenPlace[] = [];
  const changes = new Map<string, PassageChange | "removed">();
  for await (const rows of pagesById<FoundRow>(work, pageOfPassages)) {
    for (const row of rows) {
      const change = removed.has(row.id) ? "removed" : redactedPassage(row, work);
      if (change === null) continue;
      changes.set(row.id, change);
      const excerpt = work.redactor.excerpt(row.content) ?? row.content.slice(0, 80);
      places.push({ kind: "passage", id: row.id, excerpt, effect: change === "removed" ? "removed" : "redacted" });
    }
  }
  const write = async (): Promise<void> => {
    for (const [id, change] of changes) {
      const changed = change === "removed" ? [] : await tx.run(changePassage, [userId, id, ...change]);
      if (changed.length === 0) await tx.run(deletePassage, [userId, id]);
    }
  };
  return { places, ids: [...changes.keys()], write };
}

type PassageChange = readonly SqlParameter[];

function redactedPassage(row: FoundRow, { redactor }: ForgettingWork): PassageChange | "removed" | null {
  const content = redactor.redact(row.content);
  const tags = row.tags.map((tag) => redactor.redact(tag));
  const place = row.place === null ? null : (redactJson(row.place, redactor) as FoundRow["place"]);
  const isSame = content === row.content && tags.join("\n") === row.tags.join("\n");
  if (isSame && JSON.stringify(place) === JSON.stringify(row.place)) return null;
  if (content.trim() === forgottenMark) return "removed";
  const folded = foldText(content);
  const identity = row.source_id === null ? content : storableJson([row.file_id, place, content]);
  const hash = createHash("sha256").update(identity).digest("hex");
  return [content, folded, indexedTerms(folded), hash, place, tags];
}
