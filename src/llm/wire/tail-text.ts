// What stands after the history of a request, as all providers take it.
import { storableText } from "../../base/code-points.ts";
import type { ModelRequest } from "../model.ts";

/** Storable text, or null when there is none. */
export function tailText({ tail = "" }: Pick<ModelRequest, "tail">): string | null {
  return tail.trim() === "" ? null : storableText(tail);
}
