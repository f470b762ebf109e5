// The tags that the runtime uses in requests, and the escaping that keeps every other text from using them.
// Invariant: pure; an escaped text contains no opening or closing reserved tag, and escaping it again changes nothing.

/** The tag of the state block: the end of every request. */
export const stateTag = "current_state";
/** The tag of what was looked up for the last message. */
export const retrievedTag = "retrieved";

// White space and invisible characters inside a tag do not keep a model from reading it as one, nor does white space as JSON
// writes it. Every repetition is bounded, so that the time is linear in the length of the text.
const space = String.raw`(?:[\s\p{Cf}]|\\[nrt])`;
const gap = `${space}{0,16}`;
// `<persona characters="10/2000">` opens a section of core memory; any label can.
const section = `[\\w-]{1,64}${space}{1,16}characters${gap}=`;
const frame = new RegExp(`<(?=${gap}/?${gap}(?:${stateTag}|${retrievedTag}))`, "giu");
const reserved = new RegExp(`<(?=${gap}/?${gap}(?:${stateTag}|${retrievedTag}|synopsis|${section}))`, "giu");

/** Returns a text that is not the runtime's with the `<` of each reserved tag written as `&lt;`. */
export function escapeReservedTags(text: string): string {
  return text.includes("<") ? text.replace(reserved, "&lt;") : text;
}

/** As `escapeReservedTags` for rendered core memory, which has the tags of its sections: only the other frames are escaped. */
export function escapeFrames(text: string): string {
  return text.includes("<") ? text.replace(frame, "&lt;") : text;
}
