// Formats a thought's signature for storage: the provider's own value together with the model's name.
// Invariant: a signature is only sent back to the model that made it; another model would refuse it.

/** Returns a signature to store. `origin` is the name of the model; `kind` is needed because a provider can have several kinds. */
export function sealSignature(origin: string, kind: string, value: string): string {
  return `${origin}#${kind}:${value}`;
}

/** Returns the provider's own value, or undefined if the signature belongs to another model or kind. */
export function openSignature(origin: string, kind: string, signature: string | undefined): string | undefined {
  const seal = sealSignature(origin, kind, "");
  return signature?.startsWith(seal) ? signature.slice(seal.length) : undefined;
}
