// A stream to which Ink renders. It passes the content of each frame to a function instead of drawing it.
// Invariant: the stream depends on three facts about Ink. A frame is written between the marks of synchronized output; its last
// text is the live region, and the texts before it are the output of <Static>; the cursor's place follows the live
// region.
import type { CursorPosition } from "./frame-diff.ts";

export interface InkFrame {
  /** New lines of <Static>, with sequences for styles. */
  readonly finished: readonly string[];
  /** The lines of the live region; null if only the cursor has moved. */
  readonly live: readonly string[] | null;
  readonly cursor: CursorPosition | undefined;
}

export interface InkStdoutDeps {
  readonly terminal: NodeJS.WriteStream;
  onFrame(frame: InkFrame): void;
  /** Receives texts that were written outside of frames, except sequences that show or hide the cursor. */
  onOther(text: string): void;
}

const frameBegin = "\u001b[?2026h";
const frameEnd = "\u001b[?2026l";
/* oxlint-disable no-control-regex -- sequences begin with a control character */
/** Matches the sequences that move over the previous frame and erase it. */
const erasing = /^(?:\u001b\[(?:\?25[hl]|\d*[ABEGJK]))+/u;
const placing = /(?:\u001b\[(\d+)A)?\u001b\[(\d+)G\u001b\[\?25h$/u;
const cursorMode = /^(?:\u001b\[\?25[hl])*$/u;
/* oxlint-enable no-control-regex */
/** The height reported to Ink, which would clear the terminal if its frame were as high as the screen. */
const higherThanAnyFrame = 1e6;

export function createInkStdout({ terminal, onFrame, onOther }: InkStdoutDeps): NodeJS.WriteStream {
  let frame: string[] | null = null;
  let height = 1;
  const endFrame = (writes: readonly string[]): void => {
    const place = placing.exec(writes.at(-1) ?? "");
    const texts = writes.map((text) => text.replace(erasing, "")).filter((text) => text !== "");
    const last = (texts.pop() ?? "").replace(placing, "");
    const live = last === "" ? null : linesOf(last);
    height = live?.length ?? height;
    onFrame({
      finished: texts.flatMap(linesOf),
      live,
      cursor: place === null ? undefined : { x: Number(place[2]) - 1, y: height - Number(place[1] ?? 0) },
    });
  };
  const write = (text: string, callback?: unknown): boolean => {
    if (text === frameBegin) frame = [];
    else if (text === frameEnd) {
      const writes = frame ?? [];
      frame = null;
      endFrame(writes);
    } else if (frame !== null) frame.push(text);
    else if (!cursorMode.test(text)) onOther(text);
    if (typeof callback === "function") setImmediate(callback as () => void);
    return true;
  };
  // Ink does not receive changes of size: Palimpsest renders again at the new size.
  const ignore = (): unknown => stream;
  const stream = {
    isTTY: true,
    writable: true,
    get columns() {
      return terminal.columns || 80;
    },
    rows: higherThanAnyFrame,
    write,
    on: ignore,
    off: ignore,
  };
  return stream as unknown as NodeJS.WriteStream;
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/u, "").split("\n");
}
