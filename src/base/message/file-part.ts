// Defines a file on a message (its metadata and a reference to its content), and formats it as text.
// Invariant: plain values; a message never contains a file's bytes, and a file's name is one line of well-formed text.

/** The kinds of files, as in Dify. `document`: text, PDF and office documents; `custom`: all other content. */
export type FileKind = "image" | "audio" | "video" | "document" | "custom";

/** The location of the content: stored as an attachment, or at a URL that only the provider fetches. */
export type FileLocation =
  | { readonly type: "attachment"; readonly id: string }
  | { readonly type: "url"; readonly url: string };

export interface FilePart {
  readonly type: "file";
  readonly location: FileLocation;
  readonly kind: FileKind;
  /** The media type. Detected from the content if the content is stored. */
  readonly mediaType: string;
  readonly name: string;
  /** Size in bytes; null for a file at a URL. */
  readonly bytes: number | null;
  /** Displayed size of an image in pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Number of pages of a PDF, if they can be counted. */
  readonly pages?: number;
  /** Duration of audio and video in seconds, if it is known. */
  readonly seconds?: number;
  /** Tokens of a text document, as the agent's model counted them when the file was attached. */
  readonly textTokens?: number;
}

/** A file that a program attaches. A `url` is passed to the provider, which fetches it. */
export type FileInput =
  | { readonly path: string; readonly name?: string }
  | { readonly data: Uint8Array; readonly name: string; readonly mediaType?: string }
  | { readonly url: string; readonly name?: string; readonly mediaType?: string };

/** The metadata of a file, without its location. */
export type FileMetadata = Omit<FilePart, "type" | "location" | "textTokens">;

/** Kinds of files that a model accepts as input. Text documents count as text. */
export type ModelInput = "image" | "pdf" | "audio";

/** Returns whether the file is a text whose content is stored, which any model can read. */
export function isText({ mediaType, location }: FilePart): boolean {
  return location.type === "attachment" && mediaType.startsWith("text/");
}

export function isPdf({ mediaType }: Pick<FilePart, "mediaType">): boolean {
  return mediaType === "application/pdf";
}

/** Returns the file's label for users, in brackets: `[photo.png 1024×768]`. */
export function fileLabel(file: FileMetadata): string {
  return `[${[file.name, extentOf(file)].filter((text) => text !== "").join(" ")}]`;
}

/** Returns the note that replaces a file: `[image photo.png, 1024×768, 240 KB: REASON]`. */
export function fileNote(file: FileMetadata, reason?: string): string {
  const { kind, name, bytes } = file;
  const size = bytes === null ? "" : sizeText(bytes);
  const facts = [`${isPdf(file) ? "PDF" : kind} ${name}`, extentOf(file), size].filter((text) => text !== "");
  return `[${facts.join(", ")}${reason === undefined ? "" : `: ${reason}`}]`;
}

/** Formats bytes with decimal units: `240 KB`. */
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
