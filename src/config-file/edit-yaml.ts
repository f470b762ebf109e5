// Sets and takes away top-level keys in the text of a YAML file that was read before.
// Invariant: comments, order, anchors and everything else that stands there stay.
import { isMap, parseDocument } from "yaml";

/** A value of null takes its key away. */
export function editYaml(text: string, values: Readonly<Record<string, string | null>>): string {
  const document = parseDocument(text, { prettyErrors: false, logLevel: "error" });
  // A document of comments, or of nothing, has no map yet.
  if (!isMap(document.contents)) document.contents = null;
  for (const [key, value] of Object.entries(values)) {
    if (value !== null) document.set(key, value);
    else if (document.has(key)) document.delete(key);
  }
  return document.toString({ lineWidth: 0 });
}
