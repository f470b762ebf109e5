// Saves content as a file of the user's.
// Invariant: the name has no hidden character, so that a file that runs cannot look like a picture.
import { visibleText } from "./visible-text.ts";

export function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = visibleText(name);
  link.click();
  URL.revokeObjectURL(link.href);
}
