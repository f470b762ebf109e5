// Removes forgotten content from the operations of consolidations.
// Invariant: an operation keeps its kind, its status and its ids, so that a run can still be undone. An operation that names
// a changed message or passage loses all its texts, because they can paraphrase what was forgotten.
import { forgottenMark, type Redactor } from "../../base/redactor.ts";
import type { ConsolidationOperation } from "../port/consolidation-store.ts";
import type { ForgottenPlace } from "../port/forgetting-store.ts";
import { type ForgettingWork, pagesById } from "./forgetting-work.ts";

const pageOfRuns = `
select id, operations from consolidations
where user_id = $1 and id > $2::uuid and operations <> '[]' order by id limit $3::int`;

const changeRun = "update consolidations set operations = $3 where user_id = $1 and id = $2::uuid";

/** Redacts operations. `changed`: ids of the messages and passages that the forgetting changes or removes. */
export async function forgetOperations(
  work: ForgettingWork,
  changed: ReadonlySet<string>,
): Promise<readonly ForgottenPlace[]> {
  const { tx, userId, redactor } = work;
  const places: ForgottenPlace[] = [];
  for await (const rows of pagesById<{ readonly id: string; readonly operations: string }>(work, pageOfRuns)) {
    for (const { id, operations: stored } of rows) {
      const operations = JSON.parse(stored) as readonly ConsolidationOperation[];
      const kept = operations.map((operation) => withoutForgotten(operation, redactor, changed));
      const different = operations.filter((one, place) => JSON.stringify(one) !== JSON.stringify(kept[place]));
      if (different.length === 0) continue;
      const excerpt = excerptOfAll(different.flatMap(textsOf), redactor);
      places.push({ kind: "other", id: "consolidations: operations", excerpt, effect: "redacted" });
      if (work.writes) await tx.run(changeRun, [userId, id, JSON.stringify(kept)]);
    }
  }
  return places;
}

function withoutForgotten(
  operation: ConsolidationOperation,
  redactor: Redactor,
  changed: ReadonlySet<string>,
): ConsolidationOperation {
  const isNamed = [...operation.targets, ...operation.evidence].some(({ id }) => changed.has(id));
  // An emptied operation must not be approved in a review: removing its quotes makes the checks refuse it.
  return isNamed
    ? { ...withTexts(operation, () => forgottenMark), evidence: [] }
    : withTexts(operation, (text) => redactor.redact(text));
}

function withTexts(operation: ConsolidationOperation, change: (text: string) => string): ConsolidationOperation {
  const { reason, targets, texts, module, evidence, why } = operation;
  return {
    ...operation,
    reason: change(reason),
    targets: targets.map((target) => ({ ...target, text: change(target.text) })),
    texts: texts.map(change),
    // The module's label is redacted too, because the model may have written a text instead of a label.
    module: module === null ? null : change(module),
    evidence: evidence.map((cited) => ({ ...cited, quote: change(cited.quote) })),
    why: why === null ? null : change(why),
  };
}

function textsOf({ reason, targets, texts, module, evidence, why }: ConsolidationOperation): readonly string[] {
  const named = [...evidence.map(({ quote }) => quote), ...texts, ...targets.map(({ text }) => text)];
  return [...named, reason, ...[module, why].filter((text) => text !== null)];
}

function excerptOfAll(texts: readonly string[], redactor: Redactor): string | null {
  const found = texts.map((text) => redactor.excerpt(text)).find((excerpt) => excerpt !== null);
  return found ?? (texts[0]?.slice(0, 80) || null);
}
