// Sets and removes keys in the text of a valid YAML file.
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

/** Returns the text with one entry of an object, or of objects in it, set; undefined removes the entry. */
export function editYamlEntry(text: string, path: readonly string[], value: unknown): string {
  const document = parseDocument(text, { prettyErrors: false, logLevel: "error" });
  if (!isMap(document.contents)) document.contents = null;
  if (value !== undefined) document.setIn(path, document.createNode(value));
  else if (document.hasIn(path)) document.deleteIn(path);
  return document.toString({ lineWidth: 0 });
}
