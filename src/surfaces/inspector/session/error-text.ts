// What to tell about a request that failed.
// Invariant: pure; a text for a person, with the request's id if the server gave one.
import { ApiError } from "../../client/api-error.ts";

/** The server refused the request because of what the key is for. */
export function isKeyRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "key_scope";
}

/** The browser's own refusal, such as of a file that was deleted or replaced after it was chosen. */
export function fileFault({ name }: DOMException): string {
  return `The browser could not read the file (${name}). Choose it again.`;
}

export function errorText(error: unknown): string {
  if (error instanceof DOMException && error.name.startsWith("Not")) return fileFault(error);
  if (!(error instanceof ApiError)) {
    const reason = error instanceof Error ? error.message : String(error);
    return `The server did not answer (${reason}). Is it running?`;
  }
  const id = error.requestId === null ? "" : ` Request ${error.requestId}.`;
  return `${error.message}${id}`;
}
