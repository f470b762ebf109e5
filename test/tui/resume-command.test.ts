// `/resume`: choosing a conversation from a list or by its id.
import { acceptByEnter, choiceList } from "../../src/surfaces/terminal/dialogs/choice-list.ts";
import { rowWidth, span } from "../../src/surfaces/terminal/rows/row.ts";
import { screenText } from "../../src/surfaces/terminal/rows/wrap.ts";
import { driveDialog, keyOf } from "../support/drive-dialog.ts";
import { createFakeAgent, createFakeRuntime, storedMessage } from "../support/fake-agent.ts";
import { commandTime, runCommand, shownText } from "../support/run-command.ts";

describe("/resume", () => {
  const summary = (id: string, preview: string) => ({
    id,
    agentId: "agent-1",
    title: null,
    leafId: null,
    createdAt: commandTime,
    updatedAt: commandTime,
    messages: 4,
    preview,
  });
  const conversations = [
    summary("01941f29-7c00-7000-8000-000000000001", "this one"),
    summary("0194aaaa-7c00-7000-8000-000000000002", "about\nsailing"),
  ];
  const opened = createFakeAgent({ conversationId: conversations[1]!.id, messages: [storedMessage("user", "ahoy")] });
  const runtime = createFakeRuntime({
    conversations,
    open: () => opened,
    history: async (id) => [
      { role: "user", text: `the end of ${id.slice(-12)}` },
      { role: "assistant", text: "yes" },
    ],
  });

  test("lists the conversations, with the end of the selected one, and resumes it", async () => {
    const dialogs = driveDialog(["down", "enter"]);
    const outcome = await runCommand("/resume", { runtime, dialogs });
    expect(dialogs.screens[0]).toBe(
      [
        "Conversations of sam · 2",
        "> ",
        "❯ this one  4 messages, just now, this one",
        "  about sailing  4 messages, just now",
        "",
        "  you: the end of 000000000001",
        "  sam: yes",
      ].join("\n"),
    );
    expect(dialogs.screens[1]).toContain("❯ about sailing");
    expect(dialogs.screens[1]).toContain("you: the end of 000000000002");
    expect(outcome.effect).toEqual({ type: "open", agent: opened });
  });

  test("shows the end of a conversation at the width of the screen", async () => {
    const longText = "a few words ".repeat(20).trim();
    const long = createFakeRuntime({ conversations, history: async () => [{ role: "user", text: longText }] });
    for (const width of [40, 119]) {
      const dialogs = driveDialog(["escape"], { width });
      await runCommand("/resume", { runtime: long, dialogs });
      const preview = dialogs.screens[0]!.split("\n").slice(5);
      expect(preview.map((row) => row.trim()).join(" ")).toBe(`you: ${longText}`);
      expect(Math.max(...preview.map((row) => row.length))).toBeGreaterThan(width - 8);
    }
  });

  test.each([
    ["SAIL", ["❯ about sailing"]],
    ["0194aaaa about", ["❯ about sailing"]],
    ["xyz", ["  Nothing matches."]],
  ])("the filter %j keeps those that contain every word", async (typed, rows) => {
    const dialogs = driveDialog([typed, "enter", "escape"]);
    await runCommand("/resume", { runtime, dialogs });
    expect(dialogs.screens[1]?.split("\n").slice(2, 2 + rows.length)).toEqual(
      rows.map((row) => expect.stringContaining(row) as string),
    );
    expect(dialogs.screens[1]).not.toContain("this one");
  });

  test("Esc keeps the current conversation; without any there is nothing to choose", async () => {
    expect(await runCommand("/resume", { runtime, dialogs: driveDialog(["escape"]) })).toEqual({ items: [] });
    expect(shownText(await runCommand("/resume"))).toContain("There are no conversations yet.");
  });

  test.each(["/resume 2", "/resume 0194aa"])("%s resumes that conversation and shows its end", async (line) => {
    const outcome = await runCommand(line, { runtime });
    expect(outcome.effect).toEqual({ type: "open", agent: opened });
    expect(shownText(outcome)).toContain("> ahoy\n· No reply yet.\n  /retry asks again.");
  });

  test("reports an unknown, an ambiguous and the current conversation", async () => {
    expect(shownText(await runCommand("/resume 77", { runtime }))).toContain('There is no conversation "77".');
    expect(shownText(await runCommand("/resume 0194", { runtime }))).toContain("is the beginning of 2 conversations");
    expect(shownText(await runCommand("/resume 1", { runtime }))).toContain("This conversation is already open.");
  });
});

const odd = ["a".repeat(1e6), "日本語".repeat(99), "👨‍👩‍👧".repeat(99), "\ud800\u001b[2J</human>%_\n\n", ""];

describe.each([
  [79, 20],
  [19, 6],
  [10, 1],
])("a list at %d by %d", (width, max) => {
  const items = Array.from({ length: 300 }, (_, index) => `${odd[index % odd.length]?.slice(0, 500)} ${index}`);

  test.each(odd)("fits any typed text: %.8j", async (typed) => {
    let dialog = choiceList({
      title: "Texts",
      items,
      keys: ["Enter take it"],
      accept: acceptByEnter<string>,
      textOf: (item: string) => item,
      rowOf: (item) => [span(screenText(item).replaceAll("\n", " "))],
      preview: async (item) => () => [[span(screenText(item).replaceAll("\n", " "))]],
    });
    for (const key of ["down", "pagedown", "up", typed.slice(0, 50), "backspace", "ctrl+u", "pagedown", "pagedown"]) {
      if (dialog.load !== undefined) dialog = await dialog.load();
      const { rows } = dialog.draw({ width, max, now: commandTime });
      expect(rows.length).toBeLessThanOrEqual(max);
      for (const row of rows) expect(rowWidth(row)).toBeLessThanOrEqual(width);
      const step = dialog.press(keyOf(key));
      if (step.type === "show") ({ dialog } = step);
    }
    const end = dialog.press(keyOf("enter"));
    expect(end).toEqual({ type: "close", result: items[20] });
  });
});

test("the dialog host shows the error of an unreadable preview", async () => {
  const dialog = choiceList({
    title: "Texts",
    items: ["one"],
    keys: ["Enter take it"],
    accept: acceptByEnter<string>,
    textOf: (item: string) => item,
    rowOf: (item) => [span(item)],
    preview: () => Promise.reject(new Error("The database is gone.")),
  });
  await expect(dialog.load?.()).rejects.toThrow("The database is gone.");
});
