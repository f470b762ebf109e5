// The part of the store's port that writes a backup and restores it: its options and its reports.
// Invariant: a backup contains every row, and of the objects those that are in the database.

/** Objects that rows name and that are kept outside of the database, so that a backup does not contain them. */
export interface ExternalObjects {
  /** `folder` or `s3`, as the setting `objects` has it. */
  readonly backend: string;
  readonly objects: number;
  readonly bytes: number;
}

/** What was written to a backup. */
export interface BackupReport {
  readonly rows: number;
  readonly external: readonly ExternalObjects[];
}

/** What was read from a backup. */
export interface RestoreReport {
  readonly rows: number;
  /** Objects that the restored rows name, which must be in their place for the rows to have their content. */
  readonly external: readonly ExternalObjects[];
}
