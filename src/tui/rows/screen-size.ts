// The size of a terminal, with a usual one where it does not say.
import type { ScreenSize } from "../view/chat-view.ts";

/** Columns and rows of the stream's terminal; 80 by 24 when it is none. */
export function screenSizeOf(stdout: NodeJS.WriteStream): ScreenSize {
  return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
}
