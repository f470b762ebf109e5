// What went wrong, in words, whatever was thrown.
// Invariant: an error is known by its message and never by its class, which may be that of another realm (in tests, say).

/** What an error says, or what was thrown in its place. */
export function messageOf(error: unknown): string {
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return String(message);
}
