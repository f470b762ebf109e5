// Formats a thought's signature for storage: the provider's own value together with the model's name. If the provider
// refuses a signature (a key or model was changed, or the provider lost the thought), the request is repeated once
// without thoughts, because the provider would refuse the same history on every later turn.
// Invariant: a signature is only sent back to the model that made it; another model would refuse it.
import type { ProviderFailure } from "../failure/model-errors.ts";
import { readSdkError, type SdkErrorClasses } from "../failure/sdk-error.ts";
import type { ModelRequest } from "../model.ts";

/** Returns a signature to store. `origin` is the name of the model; `kind` is needed because a provider can have several kinds. */
export function sealSignature(origin: string, kind: string, value: string): string {
  return `${origin}#${kind}:${value}`;
}

/** Returns the provider's own value, or undefined if the signature belongs to another model or kind. */
export function openSignature(origin: string, kind: string, signature: string | undefined): string | undefined {
  const seal = sealSignature(origin, kind, "");
  return signature?.startsWith(seal) ? signature.slice(seal.length) : undefined;
}

const refusedCodes = new Set(["invalid_encrypted_content", "thinking_signature_invalid"]);
const refusedWordings: readonly RegExp[] = [
  /encrypted content.* could not be/i,
  /invalid `?signature`? in `?thinking/i,
  /thinking`? blocks? .*(?:cannot be modified|must remain)/i,
];

/** Whether a refusal concerns the signature of a thought rather than the request. */
function refusesThoughts({ status, codes, text }: ProviderFailure): boolean {
  if (status !== 400) return false;
  return codes.some((code) => refusedCodes.has(code)) || refusedWordings.some((wording) => wording.test(text));
}

interface Sending<Answer> {
  readonly sdk: SdkErrorClasses;
  readonly send: (withoutThoughts: boolean) => Promise<Answer>;
}

/**
 * Returns `open`, which sends a request with its thoughts or, if the provider refuses them, without; and `refused`,
 * which returns the number of refused thoughts.
 */
export function withThoughtsFirst<Answer>(request: ModelRequest, { sdk, send }: Sending<Answer>) {
  let refused = 0;
  const open = (): Promise<Answer> =>
    send(false).catch((error: unknown) => {
      if (!refusesThoughts(readSdkError(error, sdk, "request"))) throw error;
      refused = signedThoughts(request);
      return send(true);
    });
  return { open, refused: (): number => refused };
}

/** Returns the number of thoughts that a request without thoughts leaves out. */
function signedThoughts({ messages }: ModelRequest): number {
  const parts = messages.flatMap(({ content }) => content);
  return parts.filter((part) => part.type === "thought" && part.signature !== undefined).length;
}
