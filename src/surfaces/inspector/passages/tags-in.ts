// Tags as a user writes them.

/** Returns the tags of a text that separates them by commas. */
export function tagsIn(text: string): readonly string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}
