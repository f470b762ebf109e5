// The finished items on a terminal: each is written once, and again only where a redraw has erased it.
import chalk from "chalk";
import { render } from "ink";
import { systemClock } from "../../src/base/clock.ts";
import type { Chat } from "../../src/surfaces/terminal/create-chat.ts";
import { createChatStore } from "../../src/surfaces/terminal/chat-store.ts";
import { ChatScreen } from "../../src/surfaces/terminal/show-chat.tsx";
import { createInkScreen, type InkScreen } from "../../src/surfaces/terminal/screen/ink-screen.ts";
import type { ViewState } from "../../src/surfaces/terminal/view/chat-view.ts";
import { openingState, reduceView } from "../../src/surfaces/terminal/view/view-state.ts";
import { createFakeTerminal, type FakeTerminal } from "../support/fake-terminal.ts";
import { newStatus } from "../support/new-status.ts";

const size = { columns: 80, rows: 24 };

interface Scene extends FakeTerminal {
  readonly chat: Pick<Chat, "getState"> & ReturnType<typeof createChatStore>;
  setNow(ms: number): void;
  /** From now on, the terminal does not say where its cursor is, until `answer` is called. */
  readonly place: { hold(): void; answer(): void };
  /** Called once, when the rows of the next redraw were rendered again and are not drawn yet. */
  onRendered(call: () => void): void;
  close(live?: "erase" | "keep"): Promise<void>;
}

const settle = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 30));

/** Waits until a condition holds: a redraw takes two answers of the terminal. What follows says whether it did. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !holds(); tries += 1) await settle();
  await settle();
}

function withMessages(count: number): ViewState {
  const items = Array.from({ length: count }, (_, index) => ({ kind: "user" as const, text: `message ${index + 1}.` }));
  return reduceView(openingState({ status: newStatus(), size }), { type: "show", items });
}

async function open(state: ViewState): Promise<Scene> {
  const terminal = createFakeTerminal(size);
  let nowMs = 0;
  let held: (() => void)[] | null = null;
  const chat = createChatStore(state);
  const shown = { ...chat, now: () => new Date(nowMs) } as unknown as Chat;
  const onResize = (): void => chat.dispatch({ type: "redraw", size });
  const screen = createInkScreen({ terminal: terminal.stdout, clock: systemClock, onResize });
  let onRendered: (() => void) | null = null;
  const observed: Pick<InkScreen, "continuing" | "redraw"> = {
    continuing: screen.continuing,
    redraw: (render) =>
      screen.redraw(async (lines) => {
        const forget = await render(lines);
        onRendered?.();
        onRendered = null;
        return forget;
      }),
  };
  terminal.stdin.on("data", (answer: string) => {
    if (answer.endsWith("n")) screen.answered({ type: "status" });
    const row = /(\d+);\d+R$/u.exec(answer)?.[1];
    const say = (): void => screen.answered({ type: "cursor", row: Number(row) - 1 });
    if (row === undefined) return;
    if (held === null) say();
    else held.push(say);
  });
  chalk.level = 2;
  const options = { stdin: terminal.stdin, stdout: screen.stdout, patchConsole: false, exitOnCtrlC: false };
  const ink = render(<ChatScreen chat={shown} screen={observed} />, { ...options, maxFps: 1_000 });
  await settle();
  return {
    ...terminal,
    chat,
    setNow: (ms) => void (nowMs = ms),
    place: {
      hold: () => void (held = []),
      answer() {
        for (const answer of held ?? []) answer();
        held = null;
      },
    },
    onRendered: (call) => void (onRendered = call),
    async close(live = "keep") {
      ink.unmount();
      await screen.end(live);
    },
  };
}

/** The numbers of the messages in the scrollback and on the screen. */
const messagesOn = ({ model }: Scene): readonly number[] =>
  model
    .everything()
    .flatMap((row) => /^> message (\d+)\.$/u.exec(row)?.[1] ?? [])
    .map(Number);
const upTo = (count: number, from = 1): readonly number[] =>
  Array.from({ length: count - from + 1 }, (_, index) => from + index);

it("writes each item once, above the prompt, also those that come later", async () => {
  const scene = await open(withMessages(20));
  expect(messagesOn(scene)).toEqual(upTo(20));
  expect(scene.model.screen().at(-3)).toBe(">");
  scene.chat.dispatch({ type: "show", items: [{ kind: "user", text: "message 21." }] });
  await settle();
  expect(messagesOn(scene)).toEqual(upTo(21));
  await scene.close();
});

it("a redraw leaves no copy of an item and loses none, also when items come meanwhile", async () => {
  const scene = await open(withMessages(30));
  for (let times = 0; times < 3; times += 1) {
    scene.chat.dispatch({ type: "redraw", size });
    scene.chat.dispatch({ type: "show", items: [{ kind: "user", text: `message ${31 + times}.` }] });
    await until(() => messagesOn(scene).includes(31 + times));
    expect(messagesOn(scene)).toEqual(upTo(31 + times));
    expect(scene.model.screen().at(-3)).toBe(">");
  }
  await scene.close();
});

it("a redraw begins within an item that is higher than the screen", async () => {
  const lines = Array.from({ length: 60 }, (_, at) => `message ${at + 1}.`).join("\n");
  const scene = await open(reduceView(withMessages(0), { type: "show", items: [{ kind: "user", text: lines }] }));
  const before = scene.model.everything();
  expect(before.length).toBeGreaterThan(60);
  scene.chat.dispatch({ type: "redraw", size });
  await until(() => scene.written().split("message 60.").length > 2);
  expect(scene.model.everything()).toEqual(before);
  expect(scene.written().split("message 60.")).toHaveLength(3);
  await scene.close();
});

it("a redraw waits for the place of the cursor, and items come before the answer", async () => {
  const scene = await open(withMessages(30));
  scene.place.hold();
  scene.chat.dispatch({ type: "redraw", size });
  await settle();
  scene.chat.dispatch({ type: "show", items: [{ kind: "user", text: "message 31." }] });
  await settle();
  scene.place.answer();
  await until(() => messagesOn(scene).includes(31));
  expect(messagesOn(scene)).toEqual(upTo(31));
  await scene.close();
});

it("a change of size undoes a redraw for another width that is not drawn yet, and items come before the next one", async () => {
  const items = upTo(30).map((number) => ({
    kind: "user" as const,
    text: `message ${number}. ${"and so on ".repeat(12)}`,
  }));
  const scene = await open(reduceView(withMessages(0), { type: "show", items }));
  const rows = scene.model.everything().slice(0, -3);
  scene.onRendered(() => {
    scene.stdout.emit("resize");
    scene.chat.dispatch({ type: "show", items: [{ kind: "user", text: "message 31." }] });
  });
  // The redraw after the change is for the size that the terminal has.
  scene.chat.dispatch({ type: "redraw", size: { ...size, columns: 50 } });
  await until(() => messagesOn(scene).includes(31));
  // The long ones do not end with their number.
  expect(messagesOn(scene)).toEqual([31]);
  expect(scene.model.everything().slice(0, rows.length)).toEqual(rows);
  expect(scene.model.screen().at(-3)).toBe(">");
  await scene.close();
});

it("a redraw that begins while another one is rendered replaces it", async () => {
  const scene = await open(withMessages(30));
  scene.onRendered(() => {
    scene.chat.dispatch({ type: "redraw", size });
    scene.chat.dispatch({ type: "show", items: [{ kind: "user", text: "message 31." }] });
  });
  scene.chat.dispatch({ type: "redraw", size });
  await until(() => messagesOn(scene).includes(31));
  expect(messagesOn(scene)).toEqual(upTo(31));
  await scene.close();
});

it("the end of the chat undoes a redraw that is not drawn yet", async () => {
  const scene = await open(withMessages(30));
  const ended = new Promise<void>((resolve) => {
    scene.onRendered(() => void scene.close("erase").then(resolve));
  });
  scene.chat.dispatch({ type: "redraw", size });
  await ended;
  await settle();
  expect(messagesOn(scene)).toEqual(upTo(30));
});

const lend = (state: ViewState): ViewState => reduceView(state, { type: "set", change: { isAway: true } });
const takeBack = (state: ViewState): ViewState => reduceView(state, { type: "set", change: { isAway: false } });

it("after the terminal was lent, writes the items that fill the cleared screen", async () => {
  const scene = await open(takeBack(lend(withMessages(30))));
  expect(messagesOn(scene)).toEqual(upTo(30, 19));
  await scene.close();
});

it("after the terminal was lent, writes all items that have come meanwhile", async () => {
  const items = upTo(70, 31).map((number) => ({ kind: "user" as const, text: `message ${number}.` }));
  const scene = await open(takeBack(reduceView(lend(withMessages(30)), { type: "show", items })));
  expect(messagesOn(scene)).toEqual(upTo(70, 31));
  await scene.close();
});

it("the numbers of a reply change when the spinner turns, not with each part of its text", async () => {
  const began = reduceView(withMessages(1), { type: "begin", activity: "replying", atMs: 0 });
  const replies = [{ id: null, texts: [{ kind: "text" as const, text: "x".repeat(40) }] }];
  const turn = { ...began.turn, replies, isStreaming: true };
  const scene = await open({ ...began, turn, progress: { startedMs: 0, tokens: 0, characters: 40, heardMs: 0 } });
  const shownTokens = (): string | undefined => /\d+ tokens/u.exec(scene.model.screen().join("\n"))?.[0];
  expect(shownTokens()).toBe("10 tokens");
  const say = async (ms: number): Promise<void> => {
    scene.setNow(ms);
    const header = { agentId: "a", conversationId: "c", turnId: "t", sequence: 0 };
    const event = { ...header, type: "text-delta" as const, step: 1, text: "x".repeat(40) };
    scene.chat.dispatch({ type: "events", events: [event], atMs: ms });
    await settle();
  };
  await say(100);
  expect(shownTokens()).toBe("10 tokens");
  await say(130);
  expect(shownTokens()).toBe("30 tokens");
  await scene.close();
});
