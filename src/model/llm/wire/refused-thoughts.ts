// Handles a provider's refusal of its own earlier thoughts (a key or model was changed, or the provider lost them): the
// request is repeated once without them, because the same history would be refused on every later turn.
import type { ProviderFailure } from "../failure/model-errors.ts";
import type { ModelRequest } from "../model.ts";

const refusedCodes = new Set(["invalid_encrypted_content", "thinking_signature_invalid"]);
const refusedWordings: readonly RegExp[] = [
  /encrypted content.* could not be/i,
  /invalid `?signature`? in `?thinking/i,
  /thinking`? blocks? .*(?:cannot be modified|must remain)/i,
];

/** Whether a refusal concerns the signature of a thought rather than the request. */
export function refusesThoughts({ status, codes, text }: ProviderFailure): boolean {
  if (status !== 400) return false;
  return codes.some((code) => refusedCodes.has(code)) || refusedWordings.some((wording) => wording.test(text));
}

interface Sending<Answer> {
  readonly isRefused: (error: unknown) => boolean;
  readonly send: (withoutThoughts: boolean) => Promise<Answer>;
}

/** Returns how a request is opened, with its thoughts and, if the provider refuses them, without; `refused` counts those. */
export function withThoughtsFirst<Answer>(request: ModelRequest, { isRefused, send }: Sending<Answer>) {
  let refused = 0;
  const open = (): Promise<Answer> =>
    send(false).catch((error: unknown) => {
      if (!isRefused(error)) throw error;
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
