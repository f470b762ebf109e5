// The whole screen: what is finished above, what is live below, and the cursor in the prompt.
// Invariant: finished items are drawn once, by <Static>; only the live rows are drawn again.
import { Static, useApp, useCursor, useInput, useStdout } from "ink";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { Chat } from "../chat-session.ts";
import { contentWidth } from "../chat-view.ts";
import { commands } from "../commands/registry.ts";
import { itemRows } from "../item-rows.ts";
import { liveRows } from "../live-rows.ts";
import { screenSizeOf } from "../screen-size.ts";
import type { Theme } from "../theme.ts";
import type { ViewItem } from "../view-item.ts";
import { RowList } from "./row-list.tsx";

const spinnerMs = 120;
const resizeMs = 80;
const clearScreen = "\u001b[2J\u001b[H";

/** The chat on a terminal, until it has left. */
export function ChatScreen({ chat, theme }: { readonly chat: Chat; readonly theme: Theme }) {
  const state = useSyncExternalStore(chat.subscribe, chat.getState);
  const tick = useTick(state.activity !== null);
  const { exit } = useApp();
  const { setCursorPosition } = useCursor();
  useInput(chat.handleKey);
  useResize(chat);
  useEffect(() => {
    if (state.hasLeft) exit();
  }, [state.hasLeft, exit]);

  const live = liveRows(state, commands, { tick, now: chat.now() });
  setCursorPosition(state.hasLeft ? undefined : live.cursor);
  const width = contentWidth(state.size);
  const { drawing } = state;
  return (
    <>
      <Static
        key={drawing.count}
        items={drawing.from === 0 ? (state.items as ViewItem[]) : state.items.slice(drawing.from)}
      >
        {(item, index) => <RowList key={index} rows={itemRows(item, width)} theme={theme} />}
      </Static>
      {state.hasLeft ? null : <RowList rows={live.rows} theme={theme} />}
    </>
  );
}

function useTick(isRunning: boolean): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setTick((count) => count + 1), spinnerMs);
    return () => clearInterval(timer);
  }, [isRunning]);
  return tick;
}

// A terminal that becomes narrower breaks the rows that are on it, so what Ink remembers of them is wrong: the screen
// is cleared (not what was scrolled off it) and drawn anew. Once, after the last of a row of changes.
function useResize(chat: Chat): void {
  const { stdout } = useStdout();
  useEffect(() => {
    let timer: NodeJS.Timeout | undefined;
    const redraw = (): void => {
      const size = screenSizeOf(stdout);
      if (stdout.isTTY && size.columns !== chat.getState().size.columns) stdout.write(clearScreen);
      chat.resize(size);
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
