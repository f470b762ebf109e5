// The screen: finished items above, live rows below, and the cursor in the prompt.
// Invariant: finished items are drawn once, by <Static>; only the live rows are drawn again.
import { Static, useApp, useCursor, useInput, useStdout } from "ink";
import { useEffect, useReducer } from "react";
import type { Chat } from "../chat-session.ts";
import { backgroundQuestion } from "../keys/background-answer.ts";
import { contentWidth } from "../view/chat-view.ts";
import { clearScreen } from "../rows/clear-screen.ts";
import { commands } from "../commands/registry.ts";
import { spinnerMs } from "../rows/frames.ts";
import { itemRows } from "../rows/item-rows.ts";
import { liveRows } from "../rows/live-rows.ts";
import { screenSizeOf } from "../rows/screen-size.ts";
import { themes } from "../rows/theme.ts";
import type { ViewItem } from "../view/view-item.ts";
import { RowList } from "./row-list.tsx";

const resizeMs = 80;

/** Draws the chat on a terminal until the chat ends. */
export function ChatScreen({ chat }: { readonly chat: Chat }) {
  useFrames(chat);
  const state = chat.getState();
  const isGone = state.hasLeft || state.isAway;
  const { exit } = useApp();
  const { setCursorPosition } = useCursor();
  useInput(chat.handleKey);
  useResize(chat);
  useBackground(chat);
  useEffect(() => {
    if (isGone) exit();
  }, [isGone, exit]);

  const live = liveRows(state, commands, { tick: Math.floor(chat.now().getTime() / spinnerMs), now: chat.now() });
  setCursorPosition(isGone ? undefined : live.cursor);
  const width = contentWidth(state.size);
  const { drawing } = state;
  const theme = themes[state.theme];
  return (
    <>
      <Static
        key={drawing.count}
        items={drawing.from === 0 ? (state.items as ViewItem[]) : state.items.slice(drawing.from)}
      >
        {(item, index) => <RowList key={index} rows={itemRows(item, width)} theme={theme} />}
      </Static>
      {isGone ? null : <RowList rows={live.rows} theme={theme} />}
    </>
  );
}

function useFrames(chat: Chat): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    // Changes between the first render and this subscription had no listener.
    draw();
    return chat.subscribe(draw);
  }, [chat]);
}

// Asked after `useInput` has turned off the echo of the terminal, which would show the answer.
function useBackground(chat: Chat): void {
  const { stdout } = useStdout();
  useEffect(() => {
    if (chat.shouldAskBackground()) stdout.write(backgroundQuestion);
  }, [chat, stdout]);
}

// A narrower terminal wraps its rows, and a lower one may drop those below the cursor (tmux does). Ink's record of the rows is
// then wrong, even if the old size returns soon. So the screen, but not the scrollback, is cleared and redrawn, once after a
// series of changes.
function useResize(chat: Chat): void {
  const { stdout } = useStdout();
  useEffect(() => {
    let timer: NodeJS.Timeout | undefined;
    const redraw = (): void => {
      if (stdout.isTTY) stdout.write(clearScreen);
      chat.resize(screenSizeOf(stdout));
    };
    const onResize = (): void => {
      clearTimeout(timer);
      timer = setTimeout(redraw, resizeMs);
    };
    stdout.on("resize", onResize);
    return () => {
      clearTimeout(timer);
      stdout.off("resize", onResize);
    };
  }, [chat, stdout]);
}
