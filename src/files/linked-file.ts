// A file that stays at its URL: the provider fetches it, and only its URL is known.
import { RequestError } from "../errors.ts";
import type { FileMetadata, FileInput } from "../message/file-part.ts";
import { extensionOf, safeFileName } from "./file-name.ts";
import { kindOfMediaType, promisedType } from "./media-kind.ts";

const maxLength = 8192;

/** Throws RequestError `file_invalid` for an invalid URL. */
export function linkedFile(input: Extract<FileInput, { url: string }>): {
  readonly facts: FileMetadata;
  readonly url: string;
} {
  const address = typeof input.url === "string" && URL.canParse(input.url) ? new URL(input.url) : null;
  if (address === null || !/^https?:$/u.test(address.protocol) || address.href.length > maxLength) {
    throw new RequestError(
      "file_invalid",
      `Expected the URL of a file (https://…, up to ${maxLength} characters). Attach local content as \`data\` or \`path\`.`,
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
