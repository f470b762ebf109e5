// Long lists of names, several to a line.

/** Returns the words of a text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/u);
