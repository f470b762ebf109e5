// Sends a request again without the thoughts or files that the provider refuses, because the provider would refuse the same
// history on every later turn. A provider refuses thoughts if a key or model was changed, or if it lost the thoughts, and
// files if it cannot read or download one of them.
// Invariant: thoughts and files are each left out at most once, and a refusal of anything else is thrown.
import { isOverflow, type ProviderFailure } from "../failure/model-errors.ts";
import { readSdkError, type SdkErrorClasses } from "../failure/sdk-error.ts";
import type { ModelRequest } from "../model.ts";
import { type WireFiles, withNotes } from "./load-files.ts";

const thoughtCodes = new Set(["invalid_encrypted_content", "thinking_signature_invalid"]);
const thoughtWordings: readonly RegExp[] = [
  /encrypted content.* could not be/i,
  /invalid `?signature`? in `?thinking/i,
  /thinking`? blocks? .*(?:cannot be modified|must remain)/i,
];

/** Whether a refusal concerns the signature of a thought rather than the request. */
function refusesThoughts({ status, codes, text }: ProviderFailure): boolean {
  if (status !== 400) return false;
  return codes.some((code) => thoughtCodes.has(code)) || thoughtWordings.some((wording) => wording.test(text));
}

const fileWords = /\b(?:images?|pdfs?|documents?|files?|audio|download(?:ed|ing)?|urls?)\b/i;

/** Whether a refusal may concern a file. If the refusal has another cause, the request without files is refused as well. */
function refusesFiles({ status, codes, text }: ProviderFailure): boolean {
  if (status !== 400 || isOverflow(text, codes)) return false;
  return fileWords.test([text, ...codes].join(" ").replaceAll("_", " "));
}

/** The thoughts and files that one attempt to send a request includes. */
export interface SentContent {
  readonly withoutThoughts: boolean;
  /** The request's files in wire form; undefined for a request without files. */
  readonly files: WireFiles | undefined;
}

interface Sending<Answer> extends Pick<SentContent, "files"> {
  readonly sdk: SdkErrorClasses;
  readonly send: (content: SentContent) => Promise<Answer>;
}

/**
 * Returns `open`, which sends a request whole or, if the provider refuses its thoughts or files, without them; and `refused`,
 * which returns the number of refused thoughts.
 */
export function withoutRefused<Answer>(request: ModelRequest, { sdk, files: loaded, send }: Sending<Answer>) {
  let refused = 0;
  const attempt = (content: SentContent): Promise<Answer> =>
    send(content).catch((error: unknown) => {
      const failure = readSdkError(error, sdk, "request");
      if (!content.withoutThoughts && refusesThoughts(failure)) {
        refused = signedThoughts(request);
        return attempt({ ...content, withoutThoughts: true });
      }
      const files =
        content.files && withNotes(content.files, "left out: the provider refused the files of this request");
      if (files === content.files || !refusesFiles(failure)) throw error;
      return attempt({ ...content, files });
    });
  return { open: () => attempt({ withoutThoughts: false, files: loaded }), refused: (): number => refused };
}

/** Returns the number of thoughts that a request without thoughts leaves out. */
function signedThoughts({ messages }: ModelRequest): number {
  const parts = messages.flatMap(({ content }) => content);
  return parts.filter((part) => part.type === "thought" && part.signature !== undefined).length;
}
