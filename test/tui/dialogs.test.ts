// Dialogs on the screen of a chat: they replace the prompt and receive the keys until they close.
import { contentWidth, type ViewState } from "../../src/surfaces/terminal/view/chat-view.ts";
import { createChatStore } from "../../src/surfaces/terminal/chat-store.ts";
import type { Dialog, DialogStep } from "../../src/surfaces/terminal/dialogs/dialog.ts";
import { createDialogHost } from "../../src/surfaces/terminal/dialogs/dialog-host.ts";
import { editorOf } from "../../src/surfaces/terminal/input/line-editor.ts";
import { span } from "../../src/surfaces/terminal/rows/row.ts";
import { widthOf } from "../../src/surfaces/terminal/screen/text-width.ts";
import { openingState } from "../../src/surfaces/terminal/view/view-state.ts";
import { keyOf } from "../support/drive-dialog.ts";
import { liveFrame } from "../support/live-frame.tsx";
import { newStatus } from "../support/new-status.ts";

const now = new Date("2026-11-21T12:00:00Z");

/** Appends typed text; Enter chooses it, and `!` requests the given work. */
const typing = (text: string, work?: () => Promise<DialogStep<string>>): Dialog<string> => ({
  hints: ["Enter choose", "Esc close"],
  draw: ({ max }) => ({
    rows: Array.from({ length: Math.min(max, 3) }, (_, index) => [span(`${index}:${text}`)]),
    cursor: { x: 2 + text.length, y: 0 },
  }),
  press({ chord, text: typed }) {
    if (chord === "escape") return { type: "close", result: null };
    if (chord === "enter") return { type: "close", result: text };
    if (typed === "!" && work !== undefined) return { type: "work", activity: "looking", run: work };
    return { type: "show", dialog: typing(text + typed, work) };
  },
});

function opened(columns = 80, rows = 24) {
  const store = createChatStore(openingState({ status: newStatus(), size: { columns, rows } }));
  const host = createDialogHost(store);
  const screen = (): string => textOf(store.getState());
  const press = (...keys: readonly string[]): void => keys.forEach((key) => host.press(keyOf(key)));
  return { store, host, screen, press };
}

function textOf(state: ViewState): string {
  const { rows } = liveFrame(state, now);
  expect(rows.length).toBeLessThan(state.size.rows);
  for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(contentWidth(state.size));
  return rows.join("\n");
}

const never = new AbortController().signal;
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a dialog replaces the prompt, receives the keys, and returns the choice", async () => {
  const { store, host, screen, press } = opened();
  store.dispatch({ type: "edit", editor: editorOf("a draft") });
  const chosen = host.open(typing(""), never);
  await soon();
  press("x", "日");
  expect(screen()).toContain("0:x日");
  expect(screen()).toContain("Enter choose · Esc close");
  expect(screen()).not.toContain("a draft");
  press("enter");
  expect(await chosen).toBe("x日");
  expect(screen()).toContain("> a draft");
});

test.each([["escape"], ["ctrl+c"]])("%s closes it without a choice", async (key) => {
  const { host, press, screen } = opened();
  const chosen = host.open(typing("x"), never);
  await soon();
  press(key);
  expect(await chosen).toBeNull();
  expect(screen()).not.toContain("0:x");
});

test("a second dialog waits for the first", async () => {
  const { host, press, screen } = opened();
  const first = host.open(typing("one"), never);
  const second = host.open(typing("two"), never);
  await soon();
  expect(screen()).toContain("0:one");
  press("enter");
  expect(await first).toBe("one");
  await soon();
  expect(screen()).toContain("0:two");
  press("enter");
  expect(await second).toBe("two");
});

test("an aborted dialog is closed, and one that was never shown is not", async () => {
  const { host, screen } = opened();
  const leaving = new AbortController();
  const chosen = host.open(typing("one"), leaving.signal);
  const waiting = host.open(typing("two"), leaving.signal);
  await soon();
  leaving.abort();
  expect([await chosen, await waiting]).toEqual([null, null]);
  expect(screen()).not.toContain("0:");
});

test("work is shown while it runs; its result is the next dialog, its failure is shown and the dialog stays", async () => {
  const { host, press, screen } = opened();
  const pending: { readonly end: (step: DialogStep<string>) => void; readonly fail: (error: Error) => void }[] = [];
  const work = () => new Promise<DialogStep<string>>((end, fail) => pending.push({ end, fail }));
  const chosen = host.open(typing("x", work), never);
  await soon();
  press("!");
  expect(screen()).toContain("looking… · Esc interrupt");
  press("y", "enter");
  pending[0]?.fail(new Error("The database is gone. Start it again."));
  await soon();
  expect(screen()).toContain("✗ The database is gone. Start it again.");
  expect(screen()).toContain("0:x");
  press("!");
  pending[1]?.end({ type: "show", dialog: typing("found", work) });
  await soon();
  expect(screen()).toContain("0:found");
  press("!", "escape");
  pending[2]?.end({ type: "show", dialog: typing("too late", work) });
  await soon();
  expect(screen()).toContain("0:found");
  press("enter");
  expect(await chosen).toBe("found");
});

test("loaded content is shown when it arrives, unless a key came first; a failure is shown", async () => {
  const { host, press, screen } = opened();
  const pending: { readonly end: (dialog: Dialog<string>) => void; readonly fail: (error: Error) => void }[] = [];
  const reading = (): Dialog<string> => ({
    ...typing("reading"),
    load: () => new Promise<Dialog<string>>((end, fail) => pending.push({ end, fail })),
    press: ({ text }) => (text === "" ? { type: "close", result: null } : { type: "show", dialog: reading() }),
  });
  const chosen = host.open(reading(), never);
  await soon();
  press("k");
  pending[0]?.end(typing("stale"));
  await soon();
  expect(screen()).toContain("0:reading");
  pending[1]?.fail(new Error("It is gone."));
  await soon();
  expect(screen()).toContain("✗ It is gone.");
  press("k");
  expect(screen()).not.toContain("It is gone.");
  pending[2]?.end(typing("read"));
  await soon();
  expect(screen()).toContain("0:read");
  press("escape");
  expect(await chosen).toBeNull();
});

test.each([
  [80, 24],
  [20, 10],
  [10, 5],
  [200, 50],
])("fits %d by %d, also with a long failure", async (columns, rows) => {
  const { host, press, screen } = opened(columns, rows);
  void host.open(
    typing("x", () => Promise.reject(new Error("It failed. ".repeat(400)))),
    never,
  );
  await soon();
  press("!");
  await soon();
  expect(screen()).toContain("0:x");
  press("escape");
});
