// Values as Letta's API writes and leaves them out.
// Invariant: a time of a record has microseconds and `Z`; a field that is null in a request is as one that is absent.

/** Returns a time as records have it: ISO 8601 with microseconds. */
export function momentOf(time: Date): string {
  return time.toISOString().replace("Z", "000Z");
}

/** Returns an object without the fields that are null or undefined. */
export function given<Options extends object>(
  options: Options,
): { [Key in keyof Options]?: Exclude<Options[Key], undefined | null> } {
  const fields = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(fields) as { [Key in keyof Options]?: Exclude<Options[Key], undefined | null> };
}
