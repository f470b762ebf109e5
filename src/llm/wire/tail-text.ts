// What stands after the history of a request, as all providers take it.
import type { ModelRequest } from "../model.ts";

/** Well-formed, or null when there is none. */
export function tailText({ tail = "" }: Pick<ModelRequest, "tail">): string | null {
  return tail.trim() === "" ? null : tail.toWellFormed();
}
