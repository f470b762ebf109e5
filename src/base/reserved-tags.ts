// The tags that the runtime uses in requests, and the escaping that prevents other text from using them.

export const stateTag = "current_state";
/** The tag of the items retrieved for the last message. */
export const retrievedTag = "retrieved";

// A model still recognizes a tag that contains white space, invisible characters or JSON-escaped white space. Every
// repetition is bounded, so that the time is linear in the length of the text.
const space = String.raw`(?:[\s\p{Cf}]|\\[nrt])`;
const gap = `${space}{0,16}`;
// `<persona characters="10/4000">` opens a section of core memory, with any label.
const section = `[\\w-]{1,64}${space}{1,16}characters${gap}=`;
const frame = new RegExp(`<(?=${gap}/?${gap}(?:${stateTag}|${retrievedTag}))`, "giu");
const reserved = new RegExp(`<(?=${gap}/?${gap}(?:${stateTag}|${retrievedTag}|synopsis|${section}))`, "giu");

/** Returns external text with the `<` of each reserved tag written as `&lt;`. */
export function escapeReservedTags(text: string): string {
  return text.includes("<") ? text.replace(reserved, "&lt;") : text;
}

/**
 * Like `escapeReservedTags`, for rendered core memory, which contains the tags of its sections: escapes only the tags of state
 * entries and retrieved items.
 */
export function escapeFrames(text: string): string {
  return text.includes("<") ? text.replace(frame, "&lt;") : text;
}
