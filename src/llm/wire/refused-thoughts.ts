// When a provider refuses its own earlier thoughts (a key or a model was changed behind its name, or it lost them),
// the same history would be refused on every later turn. So the request is sent once more without them.
import type { ProviderFailure } from "../failure/model-errors.ts";

const refusedCodes = new Set(["invalid_encrypted_content", "thinking_signature_invalid"]);
const refusedWordings: readonly RegExp[] = [
  /encrypted content.* could not be/i,
  /invalid `?signature`? in `?thinking/i,
  /thinking`? blocks? .*(?:cannot be modified|must remain)/i,
];

/** Whether a refusal is about the signature of a thought rather than about the request. */
export function refusesThoughts({ status, codes, text }: ProviderFailure): boolean {
  if (status !== 400) return false;
  return codes.some((code) => refusedCodes.has(code)) || refusedWordings.some((wording) => wording.test(text));
}
