// The limits of one call in the sandbox.

export const sandboxLimits = {
  /** Of CPU time, and of the clock. */
  seconds: 30,
  /** Address space of each process. */
  memoryBytes: 512 * 1024 * 1024,
  /** Resident memory of all processes together. More than that of one, which fails with a MemoryError first. */
  residentBytes: 640 * 1024 * 1024,
  /** Processes and threads. */
  processes: 16,
  /** Of one file. */
  fileBytes: 16 * 1024 * 1024,
  /** All files in the only writable folder, which is in memory. */
  folderBytes: 32 * 1024 * 1024,
  openFiles: 64,
  /** Of each of stdout and stderr. More ends the call. */
  outputBytes: 1024 * 1024,
  /** Of the returned value as JSON. */
  resultBytes: 4 * 1024 * 1024,
} as const;

export type SandboxLimits = { readonly [Key in keyof typeof sandboxLimits]: number };

/** Calls that run at the same time; others wait. */
export const maxRunning = 8;

/** Those of one user. */
export const maxRunningOfUser = 4;
