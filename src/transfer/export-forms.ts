// Lists the forms of the exports of other programs that can be imported, by name.
import type { JsonObject } from "../base/json-values.ts";
import { chatgptExport } from "./chatgpt/chatgpt-export.ts";
import { claudeExport } from "./claude/claude-export.ts";
import type { ExportForm, ExportFormName } from "./export-form.ts";
import { folderForm } from "./folder/folder-form.ts";
import { mem0Export } from "./mem0/mem0-export.ts";

export const exportForms: Readonly<Record<ExportFormName, ExportForm>> = {
  chatgpt: chatgptExport,
  claude: claudeExport,
  mem0: mem0Export,
  folder: folderForm,
};

/** Returns a phrase for the form of an item, such as `an agent file`; null if the form is not recognized. */
export function guessedForm(item: JsonObject): string | null {
  const known = Object.entries(exportForms).find(([, form]) => form.recognizes(item));
  if (known !== undefined) return `an export of ${known[1].program} (${known[0]})`;
  if (Array.isArray(item["agents"]) || item["agent_type"] !== undefined) return "an agent file";
  if (typeof item["role"] === "string" && typeof item["text"] === "string") return "the messages of one conversation";
  return null;
}
