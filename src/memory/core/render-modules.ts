// Renders core memory: for the prompt, in MemGPT's format, and for the result of an edit.
// Invariant: a rendered module depends on that module alone; a value cannot close its own tag or open another: tags named
// after the memory's labels, and the runtime's reserved tags, are written with `&lt;`.
import { codePointLength } from "../../base/code-points.ts";
import { escapeReservedTags } from "../../base/reserved-tags.ts";
import type { CoreMemoryModule } from "../../tool/tool.ts";
import type { MemoryModule } from "./memory-module.ts";

/**
 * Returns `<persona characters="12/4000">`, the value and `</persona>` for each module; with labels, only for the modules with
 * these labels. The tag also has the module's description, if there is one, and a warning when the module is nearly full.
 */
export function renderModules(modules: readonly MemoryModule[], labels?: readonly string[]): string {
  const tags = new RegExp(`<(?=/?(?:${modules.map((module) => module.label).join("|")})\\b)`, "gi");
  return modules
    .filter(({ label }) => labels === undefined || labels.includes(label))
    .map((module) => {
      const value = escapeReservedTags(module.value.replace(tags, "&lt;"));
      return `<${module.label} ${attributesOf(module)}>\n${value}\n</${module.label}>`;
    })
    .join("\n");
}

function attributesOf(module: MemoryModule): string {
  const { length, limit, description } = module;
  const share = filledShare(module);
  return [
    `characters="${length}/${limit}"`,
    ...(description === null || description.trim() === "" ? [] : [`description="${attributeText(description)}"`]),
    ...(share === null ? [] : [`warning="${share}% full"`]),
  ].join(" ");
}

const entities: Readonly<Record<string, string>> = { '"': "&quot;", "<": "&lt;", ">": "&gt;" };

function attributeText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/["<>]/g, (character) => entities[character] ?? character);
}

/** A module is reported as nearly full if its text has at least this share of its limit. */
const nearlyFull = 0.8;

/** Returns the filled share in percent if the module is nearly full; null otherwise. */
function filledShare({ length, limit }: Pick<CoreMemoryModule, "length" | "limit">): number | null {
  return length < nearlyFull * limit ? null : Math.floor((100 * length) / limit);
}

/** Undoes the escaping of tags in text that the model copied from its prompt. */
export function unrenderText(text: string): string {
  return text.replaceAll("&lt;", "<");
}

/**
 * Returns the state of a module after an edit: its length, a warning when it is nearly full, and the changed lines; the model
 * has already seen the rest. `before`: its text before the edit; null if the model wrote the whole text.
 */
export function reportEdit(module: CoreMemoryModule, before: string | null): string {
  const { label, value, limit } = module;
  if (value === "") return emptyReport(label);
  const share = filledShare(module);
  const warning =
    share === null ? "" : ` It is ${share}% full: shorten it, or move what is finished to archival memory.`;
  const lines = before === null ? "" : ` ${changedLines(before, value)}`;
  return `${reportedLength(module)} of ${limit} characters.${warning}${lines}`;
}

/** Returns whether a text contains the report on an edit that gave a module this value. */
export function isReported(text: string, { label, value }: Pick<CoreMemoryModule, "label" | "value">): boolean {
  if (value === "") return text.includes(emptyReport(label));
  return text.includes(`${reportedLength({ label, length: codePointLength(value) })} of `);
}

function emptyReport(label: string): string {
  return `"${label}" is empty now.`;
}

function reportedLength({ label, length }: Pick<CoreMemoryModule, "label" | "length">): string {
  return `"${label}" now has ${length}`;
}

/** Returns the new lines from the first to the last changed one; if lines were only removed, their numbers. */
function changedLines(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(old.length, now.length);
  let first = 0;
  while (first < shorter && old[first] === now[first]) first += 1;
  let rest = 0;
  while (rest < shorter - first && old.at(-1 - rest) === now.at(-1 - rest)) rest += 1;
  const lines = now.slice(first, now.length - rest);
  if (lines.length > 0) return `${linesText(first, lines.length)} now:\n${lines.join("\n")}`;
  const removed = old.length - rest - first;
  return removed === 0 ? "Its text is as before." : `Removed: ${linesText(first, removed).toLowerCase()}.`;
}

function linesText(first: number, count: number): string {
  return count === 1 ? `Line ${first + 1}` : `Lines ${first + 1} to ${first + count}`;
}
