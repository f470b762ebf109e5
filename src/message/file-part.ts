// A file on a message: a reference to its content with what is known of it, and how it is named in words.
// Invariant: plain values; a file's bytes never stand in a message, and its name is one line of well-formed text.

/** After Dify's file types. `document`: text, PDF and office documents; `custom`: everything that is none of the others. */
export type FileKind = "image" | "audio" | "video" | "document" | "custom";

/** Where the content is: with us, or at an address from which a provider fetches it itself; we never do. */
export type FileLocation =
  | { readonly type: "attachment"; readonly id: string }
  | { readonly type: "url"; readonly url: string };

export interface FilePart {
  readonly type: "file";
  readonly location: FileLocation;
  readonly kind: FileKind;
  /** By the content, for what is with us. */
  readonly mediaType: string;
  readonly name: string;
  /** Null for a file that is elsewhere. */
  readonly bytes: number | null;
  /** Pixels of an image, as it is shown. */
  readonly width?: number;
  readonly height?: number;
  /** Of a PDF, where they can be counted. */
  readonly pages?: number;
  /** Of audio and video, where they can be told. */
  readonly seconds?: number;
  /** Tokens of a text document, by the counter of the agent's model when it was attached. */
  readonly textTokens?: number;
}

/** A file as a program hands it over. `url` is passed on by reference, for providers that fetch it themselves. */
export type FileInput =
  | { readonly path: string; readonly name?: string }
  | { readonly data: Uint8Array; readonly name: string; readonly mediaType?: string }
  | { readonly url: string; readonly name?: string; readonly mediaType?: string };

/** What is known of a file, but for where it is. */
export type FileMetadata = Omit<FilePart, "type" | "location" | "textTokens">;

/** What a model can be sent besides text. Text documents are text. */
export type ModelInput = "image" | "pdf" | "audio";

/** Whether the content is text that can be read by any model. */
export function isText({ mediaType, location }: FilePart): boolean {
  return location.type === "attachment" && mediaType.startsWith("text/");
}

export function isPdf({ mediaType }: Pick<FilePart, "mediaType">): boolean {
  return mediaType === "application/pdf";
}

/** The file for a person, in brackets: `[photo.png 1024×768]`. */
export function fileLabel(file: FileMetadata): string {
  return `[${[file.name, extentOf(file)].filter((text) => text !== "").join(" ")}]`;
}

/** What stands in a file's place where it cannot be: `[image photo.png, 1024×768, 240 KB: REASON]`. */
export function fileNote(file: FileMetadata, reason?: string): string {
  const { kind, name, bytes } = file;
  const size = bytes === null ? "" : sizeText(bytes);
  const facts = [`${isPdf(file) ? "PDF" : kind} ${name}`, extentOf(file), size].filter((text) => text !== "");
  return `[${facts.join(", ")}${reason === undefined ? "" : `: ${reason}`}]`;
}

/** Bytes in words, in steps of 1,000: `240 KB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`;
  return `${(bytes / 1_000_000).toFixed(bytes < 9_950_000 ? 1 : 0)} MB`;
}

function extentOf({ width, height, pages, seconds }: FileMetadata): string {
  if (width !== undefined && height !== undefined) return `${width}×${height}`;
  if (pages !== undefined) return `${pages} page${pages === 1 ? "" : "s"}`;
  return seconds === undefined ? "" : `${Math.round(seconds)} s`;
}
