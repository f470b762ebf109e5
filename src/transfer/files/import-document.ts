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
  /** Matches the names of the files to read in a folder or a ZIP. */
  readonly files: RegExp;
  /** The usual name of such a file, for error messages. */
  readonly fileName: string;
  /** Called with the name of each file of a folder or ZIP that is not read. */
  readonly onOtherFile?: (name: string) => void;
}
