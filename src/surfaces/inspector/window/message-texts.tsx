// Messages of a request as text, in its order.
import type { Message } from "../../../base/message/message.ts";
import { contentText } from "../parts/content-text.ts";
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
