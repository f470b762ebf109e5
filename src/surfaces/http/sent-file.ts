// Converts a file that a client sends as a URL: a `data:` URL, or an address that the provider fetches.
import type { FileInput } from "../../base/message/file-part.ts";
import { type Fault, invalidField } from "./fault.ts";

export interface SentFile {
  readonly url: string;
  readonly name: string | undefined;
  /** The media type that the client gave. */
  readonly mediaType?: string | undefined;
  /** The number for the name of a file that was sent without a name, such as `image-2.png`. */
  readonly number: number;
}

/** Returns the file as input of a turn. Throws Fault `request_invalid` for a malformed `data:` URL. */
export function fileOf({ url, name, mediaType: said, number }: SentFile): FileInput {
  if (!url.startsWith("data:")) {
    return { url, ...(name === undefined ? {} : { name }), ...(said === undefined ? {} : { mediaType: said }) };
  }
  const [, type = "", encoding, content = ""] = /^data:([^,]*?)(;base64)?,(.*)$/su.exec(url) ?? invalid(number);
  const mediaType = type.split(";")[0] || said || "text/plain";
  const data = encoding === undefined ? textBytes(content, number) : base64Bytes(content, number);
  return { data, name: name ?? nameOf(mediaType, number), mediaType };
}

/** A part of a message's content in OpenAI's APIs. */
export interface SentPart {
  readonly text?: string | undefined;
  /** The address of a file, or a `data:` URL. */
  readonly url?: string | null | undefined;
  /** The content of a file as a `data:` URL. */
  readonly data?: string | null | undefined;
  readonly name?: string | null | undefined;
}

/**
 * Returns the files of a message's parts. `field`: the field with the parts. Throws Fault `request_invalid` for a part with
 * neither text nor file, because the agent would answer as if the part had not been sent.
 */
export function filesOf(parts: readonly SentPart[], field: string): readonly FileInput[] {
  const files: FileInput[] = [];
  for (const [at, { text, url, data, name }] of parts.entries()) {
    if (data && !data.startsWith("data:"))
      throw invalidField(`${field}.${at}`, "Expected `file_data` to be `data:TYPE;base64,CONTENT`, got another text.");
    const address = url || data;
    if (address) files.push(fileOf({ url: address, name: name ?? undefined, number: files.length + 1 }));
    else if (text === undefined) throw unknownPart(`${field}.${at}.type`, "text, an image, or a file with its content");
  }
  return files;
}

/** Checks the parts of a tool's result. Throws Fault `request_invalid` for a part that is not text. */
export function requireTexts(parts: readonly SentPart[], field: string): void {
  const at = parts.findIndex(({ text }) => text === undefined);
  if (at !== -1) throw unknownPart(`${field}.${at}.type`, "only text in a tool's result");
}

function unknownPart(field: string, expected: string): Fault {
  return invalidField(
    field,
    `Expected ${expected}, got a part of another type. Leave it out; nothing was sent to the agent.`,
  );
}

function nameOf(mediaType: string, number: number): string {
  const [kind, subtype = "bin"] = mediaType.split("/");
  return `${kind === "image" ? "image" : "file"}-${number}.${subtype}`;
}

/** Decodes base64. Throws Fault for other characters: the decoder would skip them, which would damage the file. */
function base64Bytes(content: string, number: number): Uint8Array {
  const text = content.replaceAll(/\s+/gu, "");
  return /^[\w+/-]*={0,2}$/u.test(text) ? Buffer.from(text, "base64") : invalid(number);
}

function textBytes(content: string, number: number): Uint8Array {
  try {
    return Buffer.from(decodeURIComponent(content), "utf8");
  } catch (error) {
    if (error instanceof URIError) return invalid(number);
    throw error;
  }
}

function invalid(number: number): never {
  throw invalidField("body.messages", `Expected the URL of file ${number} to be \`data:TYPE;base64,CONTENT\`.`);
}
