// A file to read, and the options that select files of a folder or ZIP.
// Invariant: types only.

export interface ImportDocument {
  /** The file's name, for error messages. */
  readonly name: string;
  /** The file's size in bytes; null if unknown. */
  readonly bytes: number | null;
  chunks(): AsyncIterable<Uint8Array>;
}

export interface ImportDocuments {
  readonly documents: readonly ImportDocument[];
  close(): Promise<void>;
}

export interface DocumentOptions {
  /** Names of files in a folder or a ZIP that are read. */
  readonly files: RegExp;
  /** The usual name of such a file, for error messages. */
  readonly fileName: string;
  /** Called for files of a folder or ZIP that are not read. */
  readonly onOtherFile?: (name: string) => void;
}
