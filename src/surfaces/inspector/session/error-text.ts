// Describes failed requests to the user.
// Invariant: pure; a text contains the request's id, if the server gave one, unless the server refused the input.
import { ApiError } from "../../client/api-error.ts";

/** Whether the server refused the request because the key does not allow it. */
export function isKeyRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "key_scope";
}

/** Returns the text for an error of the browser, for example about a file that was deleted or replaced after it was chosen. */
export function fileFault({ name }: DOMException): string {
  return `The browser could not read the file (${name}). Choose it again.`;
}

export function errorText(error: unknown): string {
  if (error instanceof DOMException && error.name.startsWith("Not")) return fileFault(error);
  if (!(error instanceof ApiError)) {
    const reason = error instanceof Error ? error.message : String(error);
    return `The server did not answer (${reason}). Is it running?`;
  }
  const id = error.requestId === null || error.code === "input_invalid" ? "" : ` Request ${error.requestId}.`;
  return `${error.message}${id}`;
}
