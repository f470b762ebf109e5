// Reads tags as a user writes them.

/** Returns the tags in a text with tags that are separated by commas. */
export function tagsIn(text: string): readonly string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}
