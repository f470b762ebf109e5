// A file that stays at its URL: the provider fetches it, and only its URL is known.
// Invariant: the URL is one of HTTPS at a host that can be public, because the model's server may be in this network.
import { isFetchable } from "../../base/public-address.ts";
import { RequestError } from "../../base/errors.ts";
import type { FileMetadata, FileInput } from "../../base/message/file-part.ts";
import { extensionOf, safeFileName } from "./file-name.ts";
import { kindOfMediaType, promisedType } from "./media-kind.ts";

const maxLength = 8192;

/** Throws RequestError `file_invalid` for an invalid URL, and for one that is not public. */
export function linkedFile(input: Extract<FileInput, { url: string }>): {
  readonly facts: FileMetadata;
  readonly url: string;
} {
  const address = typeof input.url === "string" && isFetchable(input.url) ? new URL(input.url) : null;
  if (address === null || address.href.length > maxLength) {
    throw new RequestError(
      "file_invalid",
      `Expected the URL of a file at a public host (https://…, without a password, up to ${maxLength} characters). Attach local content as \`data\` or \`path\`.`,
    );
  }
  const last = address.pathname.split("/").at(-1) ?? "";
  const name = safeFileName(input.name ?? (last === "" ? address.hostname : decoded(last)));
  const mediaType = input.mediaType ?? promisedType(extensionOf(last)) ?? "application/octet-stream";
  return { url: address.href, facts: { kind: kindOfMediaType(mediaType), mediaType, name, bytes: null } };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
