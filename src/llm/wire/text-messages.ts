// Caches the conversion of messages that contain only text, which is most of a long history.
// Invariant: a conversion depends on nothing but such a message, and its result is never changed. Other messages are
// converted for each request, because call ids, files and signatures depend on the request.
import type { ContentPart } from "../../message/message.ts";

interface WithContent {
  readonly content: readonly Pick<ContentPart, "type">[];
  /** Results of calls, in a wire message. */
  readonly results?: readonly unknown[];
}

/** Returns the conversion with the results for messages of text cached by the message object. */
export function cachedForTexts<From extends WithContent, To, Rest extends readonly unknown[]>(
  convert: (message: From, ...rest: Rest) => To,
): (message: From, ...rest: Rest) => To {
  const known = new WeakMap<From, To>();
  return (message, ...rest) => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const converted = convert(message, ...rest);
    if (isText(message)) known.set(message, converted);
    return converted;
  };
}

function isText({ content, results = [] }: WithContent): boolean {
  return results.length === 0 && content.every(({ type }) => type === "text");
}
