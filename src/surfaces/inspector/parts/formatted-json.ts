// Formats JSON with line breaks and indentation.
// Invariant: pure; a text that is not JSON stays as it is.

export function formattedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
