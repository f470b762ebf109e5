// Edits of one module, worked out on the text that the prompt shows, as calls of the two core-memory tools.
// Invariant: applied in order, the edits turn the text shown into `value`; each replaces exactly one place.

/** One call of a core-memory tool. `before` is empty for text that is appended. */
export interface MemoryEdit {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** A module's text while edits are worked out, and the edits so far. */
export interface EditedText {
  readonly label: string;
  readonly value: string;
  readonly edits: readonly MemoryEdit[];
}

/** Adds a line at the end. */
export function appendLine(text: EditedText, line: string): EditedText {
  const value = text.value === "" ? line : `${text.value}\n${line}`;
  return { ...text, value, edits: [...text.edits, { label: text.label, before: "", after: line }] };
}

/** Puts another line in the place of one, or takes it out when `line` is empty. */
export function replaceLine(text: EditedText, old: string, line: string): EditedText {
  const lines = text.value.split("\n");
  const value = lines.toSpliced(lines.lastIndexOf(old), 1, ...(line === "" ? [] : [line])).join("\n");
  const spans =
    line === ""
      ? removalSpans(old)
      : [
          [old, line],
          [`${old}\n`, `${line}\n`],
          [`\n${old}`, `\n${line}`],
          [`\n${old}\n`, `\n${line}\n`],
        ];
  const [before, after] = spans.find(([from, to]) => text.value.replaceAll(from!, () => to!) === value) ?? [
    text.value,
    value,
  ];
  return replaceSpan(text, before!, after!);
}

/** Replaces a span of text that occurs in the value. */
export function replaceSpan(text: EditedText, before: string, after: string): EditedText {
  const value = text.value.replaceAll(before, () => after);
  return { ...text, value, edits: [...text.edits, { label: text.label, before, after }] };
}

function removalSpans(old: string): readonly (readonly string[])[] {
  return [
    [`${old}\n`, ""],
    [`\n${old}`, ""],
    [`\n${old}\n`, "\n"],
    [old, ""],
  ];
}
