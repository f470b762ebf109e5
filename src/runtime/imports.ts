// Imports of what other programs export: conversations and memories.
// Invariant: types only; each operation acts for the runtime's user only.

/** The program that wrote the file. */
export type ImportForm = "chatgpt" | "claude" | "mem0";

/** The path of a JSON file, of the ZIP that contains it, or of the folder of an unpacked ZIP; or the bytes of a JSON file. */
export type ImportSource = string | AsyncIterable<Uint8Array>;

export interface ImportOptions {
  /** The program that wrote the file. */
  readonly form: ImportForm;
  /** Reads and counts, and stores nothing. Default false. */
  readonly dryRun?: boolean;
  /** Called after each stored part of the file. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Ends the import. What was stored stays, and the same import continues later. */
  readonly signal?: AbortSignal;
}

export interface ImportProgress extends ImportedTexts {
  /** Bytes of the file that were read. */
  readonly bytes: number;
  /** Null if the size is unknown. */
  readonly totalBytes: number | null;
}

export interface ImportedTexts {
  readonly conversations: number;
  readonly messages: number;
  readonly passages: number;
}

/** A reason, as a plural noun with its explanation, and how often it applied. */
export interface ImportRemark {
  readonly text: string;
  readonly count: number;
}

export interface ImportReport {
  /** The number of items in the file that can be imported. `branches`: threads besides the current one of each conversation. */
  readonly found: ImportedTexts & { readonly branches: number };
  /** How many of them were not stored before; a dry run stores none of them. */
  readonly added: ImportedTexts;
  /** What is not imported. */
  readonly leftOut: readonly ImportRemark[];
  /** What is imported in another form. */
  readonly notes: readonly ImportRemark[];
}

export interface ImportOperations {
  /**
   * Imports an export of another program: conversations become conversations of the agent, which recall finds, and memories become
   * passages of its archive. Times and branches are kept, and all texts get the trust `external`; core memory is not changed. Ids
   * are derived from those of the file, so a repeated import adds only what is new. The file is read as a stream. Vectors are made
   * in the background. Throws RequestError `import_invalid` for a file that is damaged, incomplete or of another form; what was
   * read before the damage is kept. Throws ConfigError for a file that cannot be read, and the signal's reason.
   */
  run(agent: string, source: ImportSource, options: ImportOptions): Promise<ImportReport>;
}
