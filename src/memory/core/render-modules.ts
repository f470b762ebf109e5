// How core memory is written into the prompt, in MemGPT's form.
// Invariant: a value cannot close its frame or open another: tags of the memory's own labels, and the runtime's
// reserved tags, are written with `&lt;`.
import { escapeReservedTags } from "../../base/reserved-tags.ts";
import type { MemoryModule } from "./memory-module.ts";

/** `<persona characters="12/2000">`, the value, `</persona>`, one module after the other; with labels, only those. */
export function renderModules(modules: readonly MemoryModule[], labels?: readonly string[]): string {
  const tags = new RegExp(`<(?=/?(?:${modules.map((module) => module.label).join("|")})\\b)`, "gi");
  return modules
    .filter(({ label }) => labels === undefined || labels.includes(label))
    .map(
      ({ label, length, limit, value }) =>
        `<${label} characters="${length}/${limit}">\n${escapeReservedTags(value.replace(tags, "&lt;"))}\n</${label}>`,
    )
    .join("\n");
}

/** Undoes the writing of tags, for text that the model copied out of its prompt. */
export function unrenderText(text: string): string {
  return text.replaceAll("&lt;", "<");
}
