// Computes core memory as it was at a moment from the revisions since that moment.
// Invariant: pure; a module that was not changed since the moment has its current text.
import type { CoreModule } from "../memory/core-module.ts";
import type { Revision } from "../memory/revision-author.ts";

/**
 * Returns the modules with their texts at a moment. `revisions`: newest first, at least all since the moment; `at`: ISO 8601.
 */
export function memoryAt(modules: readonly CoreModule[], revisions: readonly Revision[], at: string) {
  const moment = Date.parse(at);
  return modules.map(({ label, value }) => {
    const first = revisions.findLast((revision) => revision.label === label && Date.parse(revision.at) > moment);
    return { label, text: first?.before ?? value, isChangedSince: first !== undefined };
  });
}
