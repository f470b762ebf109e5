// Shows the chat until it ends or hands the terminal over to another program.
// Invariant: the terminal's modes are restored, also after an error and when the process exits; no answer of the terminal
// remains unread, because the next program would take it for keys.
import chalk from "chalk";
import { render, useApp } from "ink";
import { useEffect, useLayoutEffect, useReducer } from "react";
import { type Clock, systemClock } from "../../base/clock.ts";
import { stripControl } from "../../base/terminal-text.ts";
import type { ChatSession } from "./chat-session.ts";
import type { Chat } from "./create-chat.ts";
import { LiveRegion } from "./components/live-region.tsx";
import { LinksContext, ThemeContext } from "./components/toned.tsx";
import { Transcript, useTranscript } from "./components/transcript.tsx";
import { backgroundQuestion, createInputParser, type Input } from "./keys/input-parser.ts";
import { themes } from "./rows/theme.ts";
import { createInkScreen, type InkScreen } from "./screen/ink-screen.ts";
import { screenSizeOf } from "./screen/screen-size.ts";
import { contentWidth, type ViewState } from "./view/chat-view.ts";

const pasteMarksOn = "\u001b[?2004h";
const pasteMarksOff = "\u001b[?2004l";
// Asks for kitty's keyboard protocol, which distinguishes Shift+Enter from Enter, and Esc from the beginning of a sequence.
const keyboardQuestion = "\u001b[?u";
const keyboardOn = "\u001b[>1u";
const keyboardOff = "\u001b[<u";
// Asks for a report whenever the window gets or loses the focus.
const focusOn = "\u001b[?1004h";
const focusOff = "\u001b[?1004l";
/** Level of 256 colours. The chat's theme decides whether colours are used; bold and dim are always used. */
const chalkLevel = 2;
/** A limit that Ink never reaches: the chat limits itself to 30 frames a second, and Ink's own limit would delay each frame. */
const maxFps = 120;

/** Draws the chat and reads keys until the chat ends or hands the terminal to another program. Throws the signal's reason. */
export async function showChat(
  chat: Chat,
  session: Pick<ChatSession, "signal" | "clock" | "hasTitle" | "notification" | "hasLinks">,
  { stdin, stdout }: Required<Pick<ChatSession, "stdin" | "stdout">>,
): Promise<void> {
  const { signal, clock = systemClock, hasLinks } = session;
  signal?.throwIfAborted();
  const [modesOn, modesOffAtFirst] = notifies(session)
    ? [pasteMarksOn + focusOn, focusOff + pasteMarksOff]
    : [pasteMarksOn, pasteMarksOff];
  let modesOff = modesOffAtFirst;
  const screen = createInkScreen({ terminal: stdout, clock, onResize: () => chat.redraw(screenSizeOf(stdout)) });
  const onExit = (): void => void stdout.write(`${screen.leave()}${modesOff}`);
  process.once("exit", onExit);
  // Ink's own input (6.8) does not recognize pastes, and takes answers of the terminal for keys.
  const stopReading = readInput(stdin, clock, (input) => {
    if (input.type === "keyboard" && !modesOff.includes(keyboardOff)) {
      modesOff += keyboardOff;
      screen.write(keyboardOn);
    }
    if (input.type === "focus") signals.showFocus(input.hasFocus);
    else if (input.type === "status" || input.type === "cursor" || input.type === "size") screen.answered(input);
    else handle(chat, input);
  });
  // The questions are written after raw mode has turned off the terminal's echo, which would show the answers.
  screen.write(modesOn + (chat.shouldAskBackground() ? backgroundQuestion : "") + keyboardQuestion);
  const signals = followChat(chat, session, { isTerminal: stdout.isTTY, write: screen.write });
  chalk.level = chalkLevel;
  const ink = render(<ChatScreen chat={chat} screen={screen} {...(hasLinks === undefined ? {} : { hasLinks })} />, {
    stdin,
    stdout: screen.stdout,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps,
  });
  const unmount = (): void => ink.unmount();
  signal?.addEventListener("abort", unmount, { once: true });
  try {
    await ink.waitUntilExit();
  } finally {
    signal?.removeEventListener("abort", unmount);
    const { hasLeft, isAway } = chat.getState();
    signals.end();
    await screen.end(hasLeft || isAway ? "erase" : "keep");
    stdout.write(modesOff);
    stopReading();
    process.off("exit", onExit);
  }
  signal?.throwIfAborted();
}

function handle(chat: Chat, input: Input): void {
  if (input.type === "key") chat.handleKey(input);
  else if (input.type === "paste") chat.handlePaste(input.text);
  else if (input.type === "background") chat.showBackground(input.background);
}

interface ChatScreenProps {
  readonly chat: Chat;
  readonly screen: Pick<InkScreen, "continuing" | "redraw">;
  readonly hasLinks?: boolean;
}

/**
 * The screen of a chat: finished items above, and the live region below. All state that changes is in this component, so that
 * every commit renders the live region, which places the cursor: Ink (6.8) hides the cursor after any other commit.
 */
export function ChatScreen({ chat, screen, hasLinks = true }: ChatScreenProps) {
  const state = useChatState(chat);
  const transcript = useTranscript(state, screen);
  const isGone = state.hasLeft || state.isAway;
  const { exit } = useApp();
  useEffect(() => {
    if (isGone) exit();
  }, [isGone, exit]);
  return (
    <ThemeContext value={themes[state.theme]}>
      <LinksContext value={hasLinks}>
        <Transcript items={state.items} width={contentWidth(state.size)} {...transcript} />
        {isGone ? null : <LiveRegion state={state} now={chat.now()} onReply={screen.continuing} />}
      </LinksContext>
    </ThemeContext>
  );
}

/** Returns the newest state. Renders again when the chat requests it: after changes, and for each frame of the spinner. */
function useChatState(chat: Chat): ViewState {
  const [, render] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => chat.subscribe(render), [chat]);
  return chat.getState();
}

// OSC 0 sets the title; CSI 22 and 23 save and restore it in terminals with a stack of titles. Other terminals show
// their default title if the title is empty.
const saveTitle = "\u001b[22;0t";
const restoreTitle = "\u001b]0;\u0007\u001b[23;0t";
const bell = "\u0007";
/** Maximum length of the name in the title: terminals cut longer titles. */
const longestName = 60;

function notifies({ notification }: Pick<ChatSession, "notification">): boolean {
  return notification !== undefined && notification !== "off";
}

/** Minimum milliseconds of a long turn. A terminal that does not report its focus is notified only of long turns. */
const longTurnMs = 20_000;

interface SignalOutput {
  /** Whether the output is a terminal; only then is the title set. */
  readonly isTerminal: boolean;
  write(sequence: string): void;
}

/**
 * Sets the terminal's title, rings the bell and notifies as the state of the chat changes. A title and a notification contain
 * no control characters. `end` restores the title from before the chat.
 */
export function followChat(
  chat: Pick<Chat, "getState" | "subscribe" | "now">,
  session: Pick<ChatSession, "hasTitle" | "notification">,
  { isTerminal, write }: SignalOutput,
) {
  const { notification = "off" } = session;
  const hasTitle = isTerminal && session.hasTitle === true;
  let title = "";
  let { endedTurns } = chat.getState();
  let startedMs = 0;
  let isUnseen: boolean | null = null;
  const update = (): void => {
    const state = chat.getState();
    startedMs = state.progress?.startedMs ?? startedMs;
    if (hasTitle && titleOf(state) !== title) {
      title = titleOf(state);
      write(`\u001b]0;${title}\u0007`);
    }
    if (state.endedTurns === endedTurns) return;
    ({ endedTurns } = state);
    if (state.hasBell) write(bell);
    const isLong = chat.now().getTime() - startedMs >= longTurnMs;
    if (notification !== "off" && (isUnseen ?? isLong)) write(notifications[notification](state));
  };
  if (hasTitle) write(saveTitle);
  update();
  const unsubscribe = chat.subscribe(update);
  return {
    showFocus: (hasFocus: boolean): unknown => (isUnseen = !hasFocus),
    end(): void {
      unsubscribe();
      if (hasTitle) write(restoreTitle);
    },
  };
}

const notifications = {
  osc9: (state: ViewState) => `\u001b]9;${newsOf(state)}\u0007`,
  osc777: (state: ViewState) => `\u001b]777;notify;Palimpsest;${newsOf(state)}\u0007`,
};

/** Returns why the user is notified: `ada has answered`, `ada needs approval`. */
function newsOf({ status, items }: ViewState): string {
  return `${nameOf(status)} ${items.at(-1)?.kind === "approval" ? "needs approval" : "has answered"}`;
}

function nameOf({ agentName }: ViewState["status"]): string {
  return stripControl(agentName).replaceAll(/\s+/gu, " ").slice(0, longestName);
}

/** Returns the agent's name and what it does: `ada`, `ada: working`, `ada: needs approval`. */
function titleOf({ status, activity }: ViewState): string {
  const name = nameOf(status);
  if (activity !== null) return `${name}: working`;
  return status.waitsForApproval ? `${name}: needs approval` : name;
}

/**
 * Milliseconds after which an escape alone is the key Esc. A sequence arrives faster, except over a bad connection; a person
 * needs longer to press Esc and another key.
 */
const escapeMs = 20;
const sequenceMs = 500;

/**
 * Returns a first chunk with Enter as a carriage return: before raw mode, the system changed it to a line feed, which is Ctrl+J
 * in raw mode. A line feed alone is taken for Ctrl+J. A text with a carriage return did not come before raw mode.
 */
function withEnter(chunk: string): string {
  return chunk.length > 1 && !chunk.includes("\r") ? chunk.replaceAll("\n", "\r") : chunk;
}

/**
 * Reads the terminal in raw mode and calls `onInput` for each input. Returns a function that ends reading and raw mode. An
 * escape that nothing follows counts as the key Esc after `escapeMs`.
 */
function readInput(stdin: NodeJS.ReadStream, clock: Pick<Clock, "sleep">, onInput: (input: Input) => void): () => void {
  const parser = createInputParser();
  let chunks = 0;
  let hasEnded = false;
  const report = (inputs: readonly Input[]): void => {
    for (const input of inputs) if (!hasEnded) onInput(input);
  };
  const onData = (chunk: string): void => {
    chunks += 1;
    const own = chunks;
    report(parser.push(chunks === 1 ? withEnter(chunk) : chunk));
    const waitsFor = parser.waitsFor();
    if (waitsFor === "nothing") return;
    void clock.sleep(waitsFor === "escape" ? escapeMs : sequenceMs).then(() => {
      // Pending input is read first: after a pause of the process, Node runs due timers before it reads input.
      setImmediate(() => {
        if (own === chunks) report(parser.flush());
      });
    });
  };
  // Characters of several bytes may be split between chunks.
  stdin.setEncoding("utf8");
  stdin.setRawMode(true);
  stdin.on("data", onData);
  stdin.ref();
  stdin.resume();
  return () => {
    hasEnded = true;
    stdin.off("data", onData);
    stdin.setRawMode(false);
    // Without `pause`, Node would keep reading and take keys from the program that has the terminal next.
    stdin.pause();
  };
}
