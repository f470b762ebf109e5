// The report of an import in words.
// Invariant: pure; what there is none of is not mentioned.
import { numberText } from "../../../base/window-words.ts";
import type { ImportReport } from "../../../runtime/imports.ts";

const words = {
  conversations: ["conversation", "conversations"],
  messages: ["message", "messages"],
  passages: ["passage", "passages"],
} as const;

/** `Imported 11 conversations, 3,300 messages (3 branches); 1 conversation, 100 messages already stored.` */
export function importedText({ found, added }: ImportReport, verb: "Imported" | "Would import"): string {
  const stored = {
    conversations: found.conversations - added.conversations,
    messages: found.messages - added.messages,
    passages: found.passages - added.passages,
  };
  const { branches } = found;
  const branchText =
    branches === 0
      ? ""
      : ` (the file has ${numberText(branches)} ${branches === 1 ? "branch" : "branches"} besides the current threads)`;
  const storedText = countsText(stored);
  const already = storedText === "" ? "" : `; ${storedText} already stored`;
  const addedText = countsText(added);
  return `${verb} ${addedText === "" ? "nothing new" : addedText}${already}${branchText}.`;
}

function countsText(counts: ImportReport["added"]): string {
  const parts = Object.entries(words).flatMap(([key, [one, many]]) => {
    const count = counts[key as keyof typeof words];
    return count === 0 ? [] : [`${numberText(count)} ${count === 1 ? one : many}`];
  });
  return parts.join(", ");
}
