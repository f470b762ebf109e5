// The edits of a module of core memory: a line at its end, a replacement, or a new text. Also reads and writes skills.
// Invariant: a refused edit says what to do and changes nothing; a successful one does exactly what its report says.
import { EditMismatchError, ToolError } from "../../base/errors.ts";
import { skillLabel, skillOfLabel } from "../../base/module-label.ts";
import type { CoreMemoryDraft } from "../../tool/tool.ts";
import { withoutOuterBreaks } from "./base-memory.ts";
import { reportEdit, unrenderText } from "./memory-module.ts";
import { skillFault, type SkillText, skillText } from "./skill.ts";
import { nearestLine, type Replacement, replaceText } from "./replace-text.ts";

/**
 * Adds a line at the end of a module, and returns the result for the model (`reportEdit`). Throws EditMismatchError for an
 * empty text, and the same errors as `append`.
 */
export function appendTo(core: CoreMemoryDraft, label: string, content: string): string {
  if (content.trim() === "") throw new EditMismatchError("content is empty. Nothing was changed.");
  const before = core.read(label);
  core.append(label, content);
  return reportEdit(core.module(label), before);
}

/**
 * Replaces every occurrence of the old text, and returns the result for the model. Throws EditMismatchError if the old text
 * does not occur, and the same errors as `edit`.
 */
export function replaceIn(core: CoreMemoryDraft, label: string, { oldContent, newContent }: Replacement): string {
  if (oldContent === "") {
    throw new EditMismatchError(
      "old_content cannot be an empty string (must specify old_content to replace). Nothing was changed. To add text, use core_memory_append.",
    );
  }
  const before = core.read(label);
  const wanted = before.includes(oldContent) ? oldContent : unrenderText(oldContent);
  const { value, lines } = replaceText(before, { oldContent: wanted, newContent });
  if (lines.length === 0) throw new EditMismatchError(missingText(core, label, wanted));
  core.edit(label, () => value);
  const report = reportEdit(core.module(label), before);
  if (lines.length === 1) return report;
  const places = `Replaced ${lines.length} occurrences (before the edit on line ${[...new Set(lines)].join(", ")}).`;
  return `${places} To change only one, include more of its line in old_content.\n${report}`;
}

/** Replaces the whole text of a module, and returns the result for the model. Throws the same errors as `edit`. */
export function rewrite(core: CoreMemoryDraft, label: string, content: string): string {
  core.edit(label, () => withoutOuterBreaks(content));
  return reportEdit(core.module(label), null);
}

/** Returns the message that a text was not found, with a hint where it may be. */
function missingText(core: CoreMemoryDraft, label: string, wanted: string): string {
  const problem = `Old content was not found in "${label}". Nothing was changed.`;
  const other = core.labels().find((module) => core.module(module).value.includes(wanted));
  if (other !== undefined) return `${problem} The module "${other}" contains it.`;
  const nearest = nearestLine(core.read(label), wanted);
  const hint = nearest === null ? "" : ` The most similar is line ${nearest.number}: ${JSON.stringify(nearest.text)}.`;
  return `${problem}${hint} old_content must be an exact copy of text in that module.`;
}

/** Returns the text of a skill. Throws ToolError, which lists the skills, for an unknown name. */
export function skillIn(core: CoreMemoryDraft, name: string): string {
  const labels = core.labels().filter((label) => skillOfLabel(label) !== null && core.module(label).value !== "");
  if (labels.includes(skillLabel(name))) return core.read(skillLabel(name));
  const names = labels.map(skillOfLabel).join(", ") || "none";
  throw new ToolError(`There is no skill ${JSON.stringify(name)}. Skills: ${names}.`);
}

/** Writes a skill and keeps the other entries of its front matter. Throws ToolError for an invalid name or text. */
export function writeSkill(core: CoreMemoryDraft, name: string, skill: Pick<SkillText, "description" | "body">): void {
  const label = skillLabel(name);
  const text = skillText(name, skill, core.labels().includes(label) ? core.module(label).value : "");
  const fault = skillFault(name, text);
  if (fault !== null) throw new ToolError(`Nothing was changed: ${fault}.`);
  core.edit(label, () => text);
}
