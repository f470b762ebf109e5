// Returns the code of an operating system error, such as ENOENT.
// Invariant: checks the property instead of the class, because another realm (a vm context) has its own class.

export function systemCode(cause: unknown): string | undefined {
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return undefined;
  return typeof cause.code === "string" ? cause.code : undefined;
}
