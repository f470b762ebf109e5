// The screen of a chat: finished items above, and the live region below.
// Invariant: what can change is state of this component. Ink (6.8) hides the cursor after a commit in which no component placed it,
// so every commit begins here.
import { useApp } from "ink";
import { useEffect, useLayoutEffect, useReducer } from "react";
import type { Chat } from "../chat-session.ts";
import { themes } from "../rows/theme.ts";
import type { InkScreen } from "../screen/ink-screen.ts";
import { contentWidth, type ViewState } from "../view/chat-view.ts";
import { LiveRegion } from "./live-region.tsx";
import { ThemeContext } from "./toned.tsx";
import { Transcript, useTranscript } from "./transcript.tsx";

export interface ChatScreenProps {
  readonly chat: Chat;
  readonly screen: Pick<InkScreen, "continuing" | "redraw">;
}

export function ChatScreen({ chat, screen }: ChatScreenProps) {
  const state = useChatState(chat);
  const transcript = useTranscript(state, screen);
  const isGone = state.hasLeft || state.isAway;
  const { exit } = useApp();
  useEffect(() => {
    if (isGone) exit();
  }, [isGone, exit]);
  return (
    <ThemeContext value={themes[state.theme]}>
      <Transcript items={state.items} width={contentWidth(state.size)} {...transcript} />
      {isGone ? null : <LiveRegion state={state} now={chat.now()} onReply={screen.continuing} />}
    </ThemeContext>
  );
}

/** Returns the newest state, and renders again when the chat asks for it, which is also when its spinner turns. */
function useChatState(chat: Chat): ViewState {
  const [, render] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => chat.subscribe(render), [chat]);
  return chat.getState();
}
