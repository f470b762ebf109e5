// Renders core memory: for the prompt, in MemGPT's format, and for the result of an edit.
// Invariant: a value cannot close its own tag or open another: tags named after the memory's labels, and the runtime's
// reserved tags, are written with `&lt;`.
import { escapeReservedTags } from "../../base/reserved-tags.ts";
import type { CoreMemorySection } from "../../tool/tool.ts";
import type { MemoryModule } from "./memory-module.ts";

/** Renders `<persona characters="12/2000">`, the value and `</persona>` for each module; with labels, only those. */
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

/** Undoes the escaping of tags in text that the model copied from its prompt. */
export function unrenderText(text: string): string {
  return text.replaceAll("&lt;", "<");
}

/** Returns the state of a section after an edit: its length, and its text. */
export function reportSection({ label, value, length, limit }: CoreMemorySection): string {
  return value === "" ? `"${label}" is empty now.` : `"${label}" now has ${length} of ${limit} characters:\n${value}`;
}
