// What to tell about a request that failed.
// Invariant: pure; a text for a person, with the request's id if the server gave one.
import { ApiError } from "../../client/api-error.ts";

export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) {
    const reason = error instanceof Error ? error.message : String(error);
    return `The server did not answer (${reason}). Is it running?`;
  }
  const id = error.requestId === null ? "" : ` Request ${error.requestId}.`;
  return `${error.message}${id}`;
}
