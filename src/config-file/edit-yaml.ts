// Sets and removes top-level keys in the text of a valid YAML file.
// Invariant: comments, order, anchors and all other content stay.
import { isMap, parseDocument } from "yaml";

/** Returns the text with the new values; a null value removes its key. */
export function editYaml(text: string, values: Readonly<Record<string, string | null>>): string {
  const document = parseDocument(text, { prettyErrors: false, logLevel: "error" });
  // A document that is empty or contains only comments has no map yet.
  if (!isMap(document.contents)) document.contents = null;
  for (const [key, value] of Object.entries(values)) {
    if (value !== null) document.set(key, value);
    else if (document.has(key)) document.delete(key);
  }
  return document.toString({ lineWidth: 0 });
}
