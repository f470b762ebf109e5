// What changed in a text, by lines: enough to read a change of core memory by.

/** The lines of both texts without the lines that they begin and end with in common. */
export function changedLines(
  before: string,
  after: string,
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  return { removed: old.slice(start, old.length - end), added: fresh.slice(start, fresh.length - end) };
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}
