// Messages of a request as text, in the order of the request.
import type { ContentPart, Message } from "../../../base/message/message.ts";
import { PlainText } from "../parts/plain-text.tsx";

export function MessageTexts({ messages }: { readonly messages: readonly Message[] }) {
  return (
    <ol class="plain" aria-label="Messages of the request">
      {messages.map(({ role, content }, at) => (
        <li key={at}>
          <span class="mark">{role}</span>
          <PlainText text={contentText(content)} length={4000} />
        </li>
      ))}
    </ol>
  );
}

/** Returns the content of a message as one text, which contains every part, even a file. */
function contentText(content: readonly ContentPart[]): string {
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
