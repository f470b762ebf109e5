// Archival memory as a running tool sees it: its own inserts are visible to it at once, to others when its result is
// committed.
// Invariant: nothing is written here; the inserts are passed to the commit of the tool's result.
import { storableText } from "../../base/code-points.ts";
import type { Ids } from "../../base/ids.ts";
import { ToolError } from "../../errors.ts";
import type { Trust } from "../../message/message.ts";
import type { ArchivalDraft, ArchivalQuery, SearchHit } from "../../tool/tool.ts";
import { type NewPassage, passageLengthFault } from "../passage-store.ts";
import type { ArchivalMemory } from "./archival-memory.ts";

export interface PassageDraft extends ArchivalDraft {
  /** Passages inserted so far. */
  readonly inserted: readonly NewPassage[];
}

export function createArchivalDraft(
  memory: ArchivalMemory,
  { ids, now, trust }: { readonly ids: Ids; readonly now: () => Date; readonly trust: Trust },
): PassageDraft {
  const inserted: NewPassage[] = [];
  return {
    inserted,
    async insert(given, { tags = [] } = {}) {
      const text = storableText(given);
      if (text.trim() === "") throw new ToolError("Nothing was stored: content is empty.");
      const fault = passageLengthFault(text);
      if (fault !== null) throw new ToolError(`Nothing was stored: expected ${fault}. Insert it in shorter parts.`);
      inserted.push({ id: ids.next(), text, tags: tags.map(storableText), kind: "memory", at: now() });
    },
    async search(query) {
      const stored = await memory.search(query);
      const own = inserted.filter((passage) => matches(passage, query));
      if (own.length === 0) return stored;
      const hits: SearchHit[] = own.map(({ id, text, tags, at }) => ({
        id,
        text,
        tags,
        at,
        trust,
        origin: "model",
      }));
      const firstPage = query.page === 0 ? [...hits, ...stored.hits].slice(0, stored.pageSize) : stored.hits;
      return { ...stored, hits: firstPage, total: stored.total + own.length };
    },
  };
}

function matches(
  { text: stored, tags: filed, kind }: NewPassage,
  { query, tags, allTags = [], kinds }: ArchivalQuery,
): boolean {
  if (kinds !== undefined && !kinds.includes(kind)) return false;
  if (tags !== undefined && tags.length > 0 && !tags.some((tag) => filed.includes(tag))) return false;
  if (!allTags.every((tag) => filed.includes(tag))) return false;
  const text = stored.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .some((word) => word !== "" && text.includes(word));
}
