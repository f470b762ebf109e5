// The signatures of thoughts as they are stored: the provider's own value, sealed with the model it came from.
// Invariant: a signature is only ever sent back to the model that made it; others refuse it, and that refusal would
// come again on every later turn.

/** A signature as it is stored. `kind` tells apart the forms in which one provider gives them. */
export function sealSignature(origin: string, kind: string, value: string): string {
  return `${origin}#${kind}:${value}`;
}

/** The provider's own value, or undefined when the signature is of another model or kind. */
export function openSignature(origin: string, kind: string, signature: string | undefined): string | undefined {
  const seal = sealSignature(origin, kind, "");
  return signature?.startsWith(seal) ? signature.slice(seal.length) : undefined;
}
