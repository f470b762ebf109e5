// The runtime's state entries in a request.
import type { Message } from "../../src/message/message.ts";

interface WithMessages {
  readonly messages: readonly Message[];
}

/** Returns the entries, oldest first. */
export function entriesOf({ messages }: WithMessages): readonly string[] {
  return messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "state" ? [part.text] : [])));
}

/** Returns all entries as one text; "" for none. */
export function stateOf(request: WithMessages | undefined): string {
  return request === undefined ? "" : entriesOf(request).join("\n");
}

/** Returns the newest entry that says what time it is; "" for none. */
export function factsOf(request: WithMessages): string {
  return entriesOf(request).findLast((text) => text.includes("\nNow: ")) ?? "";
}
