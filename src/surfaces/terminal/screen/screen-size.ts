// Reads the size of a terminal, with a default.

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Returns columns and rows of the stream's terminal; 80 by 24 if it is not a terminal. */
export function screenSizeOf(stdout: NodeJS.WriteStream): ScreenSize {
  return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
}
