// The content of a message as one text.
// Invariant: pure; every part is there, also those without a text of their own.
import type { ContentPart } from "../../../base/message/message.ts";

export function contentText(content: readonly ContentPart[]): string {
  return content.map(partText).join("\n\n");
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
    case "state":
      return part.text;
    case "thought":
      return `(thought) ${part.text}`;
    case "tool-call":
      return `${part.name} ${part.arguments}`;
    case "tool-result":
      return `${part.name}${part.status === "failed" ? " failed" : ""}: ${part.text}`;
    case "file":
      return `[file: ${part.name}, ${part.mediaType}]`;
  }
}
