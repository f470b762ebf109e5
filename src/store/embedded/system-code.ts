// The code of an error of the operating system, such as ENOENT.
// Invariant: asks for the property and not for the class, which another realm (a vm context) has its own of.

export function systemCode(cause: unknown): string | undefined {
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return undefined;
  return typeof cause.code === "string" ? cause.code : undefined;
}
