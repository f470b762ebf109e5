// The JSON of sources, field by field. Described in docs/cli.md.
// Invariant: fields are added, never renamed or removed; dates are ISO 8601 in UTC.
import type { Source, SourceFile, SourceLoadResult } from "../runtime-records.ts";

export function sourceShape(source: Source): object {
  const { id, name, description, files, failed, bytes, passages, agents, createdAt, loadedAt } = source;
  return { id, name, description, files, failed, bytes, passages, agents, createdAt, loadedAt };
}

export function sourceFileShape({ path, kind, bytes, sha256, passages, status, reason, loadedAt }: SourceFile): object {
  return { path, kind, bytes, sha256, passages, status, reason, loadedAt };
}

export function loadShape(load: SourceLoadResult): object {
  const { source, added, changed, unchanged, failed, skipped, gone, removed, passages, vectors } = load;
  return {
    source: sourceShape(source),
    added,
    changed,
    unchanged,
    failed,
    skipped,
    gone,
    removed,
    passages,
    vectors,
  };
}
