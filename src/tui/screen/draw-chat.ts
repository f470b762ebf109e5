// Draws a chat on its terminal: a frame after each change, and everything again after a change of size.
// Invariant: no frame is written while the terminal is behind or its size changes; the last state is always drawn.
import type { Clock } from "../../base/clock.ts";
import type { Chat } from "../chat-session.ts";
import { screenSizeOf } from "../rows/screen-size.ts";
import type { ViewState } from "../view/chat-view.ts";
import type { PacedOutput } from "./paced-output.ts";
import { createPainter } from "./painter.ts";
import { createPlaceQuestion, type PlaceReport } from "./place-question.ts";

export interface Drawing {
  /** Draws what has changed. */
  draw(): void;
  /** Takes the terminal's report of its size or of the cursor's row. */
  reportPlace(report: PlaceReport): void;
  /** Stops drawing. Removes the live rows if the chat has ended or lends its terminal, and otherwise leaves them. */
  end(): void;
  /** Returns the bytes that move the cursor below the last frame. */
  leave(): string;
}

export interface DrawingDeps {
  readonly stdout: NodeJS.WriteStream;
  readonly output: PacedOutput;
  readonly clock: Pick<Clock, "sleep">;
  /** Called when the chat has ended or lends its terminal. */
  onGone(): void;
}

/** Time from the last change of size until the redraw. */
const resizeMs = 80;

/** Begins to draw. */
export function drawChat(chat: Chat, { stdout, output, clock, onGone }: DrawingDeps): Drawing {
  const painter = createPainter(chat.getState());
  const place = createPlaceQuestion({ stdout, output, clock });
  let { redraws } = chat.getState();
  let isResizing = false;
  let isRedrawing = false;
  let erase: "chat" | "screen" = "screen";
  let hasEnded = false;

  const redraw = async (): Promise<void> => {
    isRedrawing = true;
    const cursorRow = await place.cursorRow();
    isRedrawing = false;
    // After another change of size, the answer may be wrong.
    if (hasEnded || isResizing) return;
    const state = chat.getState();
    ({ redraws } = state);
    output.write(painter.redraw(state, { now: chat.now(), cursorRow, erase }));
    erase = "screen";
  };
  const drawFrames = (state: ViewState): void => {
    do {
      const frame = painter.frame(state, { now: chat.now(), maxBytes: output.room() });
      if (frame !== "") output.write(frame);
    } while (painter.hasMore() && output.room() > 0);
  };
  const draw = (): void => {
    const state = chat.getState();
    if (hasEnded) return;
    if (state.hasLeft || state.isAway) onGone();
    else if (isResizing || isRedrawing || output.room() === 0) return;
    else if (state.redraws !== redraws) void redraw();
    else drawFrames(state);
  };
  const ignoreResizes = onResizes(stdout, clock, {
    began() {
      isResizing = true;
    },
    ended() {
      isResizing = false;
      erase = "chat";
      chat.resize(screenSizeOf(stdout));
    },
  });
  const unsubscribe = chat.subscribe(draw);
  draw();
  return {
    draw,
    reportPlace: place.report,
    end() {
      hasEnded = true;
      ignoreResizes();
      unsubscribe();
      const state = chat.getState();
      output.write(state.hasLeft || state.isAway ? painter.last(state) : painter.leave());
    },
    leave: painter.leave,
  };
}

// A narrower terminal wraps the rows, and a lower one may drop those below the cursor (tmux does), so nothing is drawn until the
// size stays the same for some time.
function onResizes(
  stdout: NodeJS.WriteStream,
  clock: Pick<Clock, "sleep">,
  { began, ended }: { began(): void; ended(): void },
): () => void {
  let count = 0;
  const onResize = (): void => {
    began();
    count += 1;
    const own = count;
    void clock.sleep(resizeMs).then(() => {
      if (own === count) ended();
    });
  };
  stdout.on("resize", onResize);
  return () => {
    count += 1;
    stdout.off("resize", onResize);
  };
}
