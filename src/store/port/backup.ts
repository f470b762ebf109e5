// The part of the store's port that writes and restores backups: options and reports.
// Invariant: a backup contains every row, and only those objects that are in the database.

/** Objects that rows name and that are kept outside the database, so a backup does not contain them. */
export interface ExternalObjects {
  /** `folder` or `s3`, as in the setting `objects`. */
  readonly backend: string;
  readonly objects: number;
  readonly bytes: number;
}

/** Counts of what a backup contains. */
export interface BackupReport {
  readonly rows: number;
  readonly external: readonly ExternalObjects[];
}

/** Counts of what was restored from a backup. */
export interface RestoreReport {
  readonly rows: number;
  /** Objects that the restored rows name. Without a separate copy of these objects, the rows have no content. */
  readonly external: readonly ExternalObjects[];
}
