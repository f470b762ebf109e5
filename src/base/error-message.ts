// The message of any thrown value.
// Invariant: an error is recognized by its message property and never by its class, which may be of another realm (in
// tests, for example).

/** Returns an error's message, or the text of another thrown value. */
export function messageOf(error: unknown): string {
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return String(message);
}
