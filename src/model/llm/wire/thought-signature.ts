// Stores a thought's signature: the provider's own value together with the model it came from.
// Invariant: a signature is only sent back to the model that made it; another model would refuse it, on every later
// turn.

/** Returns a signature in its stored form. `kind` distinguishes the forms that one provider uses. */
export function sealSignature(origin: string, kind: string, value: string): string {
  return `${origin}#${kind}:${value}`;
}

/** Returns the provider's own value, or undefined if the signature is of another model or kind. */
export function openSignature(origin: string, kind: string, signature: string | undefined): string | undefined {
  const seal = sealSignature(origin, kind, "");
  return signature?.startsWith(seal) ? signature.slice(seal.length) : undefined;
}
