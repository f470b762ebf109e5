// The runtime's state entries in a request.
import type { ModelRequest } from "../../src/model/llm/model.ts";
import type { Message } from "../../src/base/message/message.ts";

interface WithMessages {
  readonly messages: readonly Message[];
}

/** Returns the entries, oldest first. */
export const entriesOf = ({ messages }: WithMessages): readonly string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === "state" && part.isMaterial !== true ? [part.text] : [])),
  );

/** Returns what was looked up for the messages, each where it stands, as one text; "" for nothing. */
export function lookedUpIn({ messages }: WithMessages): string {
  const parts = messages.flatMap(({ content }) => content);
  return parts.flatMap((part) => (part.type === "state" && part.isMaterial === true ? [part.text] : [])).join("\n");
}

/** Returns all entries as one text; "" for none. */
export const stateOf = (request: WithMessages | undefined): string =>
  request === undefined ? "" : entriesOf(request).join("\n");

/** Returns the newest entry that says what time it is; "" for none. */
export const factsOf = (request: WithMessages): string =>
  entriesOf(request).findLast((text) => text.includes("\nNow: ")) ?? "";

/** Returns the tools that the next reply may call: those of the request without what its last message forbids. */
export function callableIn(request: ModelRequest): readonly string[] {
  const names = request.tools.map(({ name }) => name);
  const [, rule, list = ""] = /^Your next reply (can call only|cannot call): (.*)$/mu.exec(entryAtEnd(request)) ?? [];
  const listed = list.split(", ");
  return rule === undefined ? names : names.filter((name) => listed.includes(name) === (rule === "can call only"));
}

function entryAtEnd({ messages }: WithMessages): string {
  return entriesOf({ messages: messages.slice(-1) }).join("\n");
}
