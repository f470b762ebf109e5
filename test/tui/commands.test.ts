// Slash commands: their output, their effects, and their errors.
import { commandTopics, parseCommand, unknownCommand } from "../../src/surfaces/terminal/commands/registry.ts";
import { itemRows } from "../../src/surfaces/terminal/rows/item-rows.ts";
import { rowText, rowWidth } from "../../src/surfaces/terminal/rows/row.ts";
import { widthOf } from "../../src/surfaces/terminal/screen/text-width.ts";
import { DependentEditsError } from "../../src/base/errors.ts";
import { adviceFor } from "../../src/surfaces/terminal/advice.ts";
import { createFakeAgent, createFakeRuntime, revision, storedMessage } from "../support/fake-agent.ts";
import { fakeConsolidations } from "../support/fake-consolidations.ts";
import { driveDialog } from "../support/drive-dialog.ts";
import { linesPanel } from "../../src/surfaces/terminal/view/notices.ts";
import { commandTime, runCommand, shownText } from "../support/run-command.ts";
import { storedReport } from "../support/window-state.ts";

test.each([
  ["hello", null],
  [" /usr/bin is a folder", null],
  ["/", { name: "help", argument: "" }],
  ["/Search  two words ", { name: "search", argument: "two words" }],
  ["//", { name: "/", argument: "" }],
])("parseCommand of %j", (line, expected) => {
  expect(parseCommand(line)).toEqual(expected);
});

test("an unknown command suggests the nearest, and is not sent", () => {
  expect(shownText(unknownCommand("memroy"))).toContain("Did you mean /memory?");
  expect(shownText(unknownCommand("xyzzyq"))).not.toContain("Did you mean");
  expect(shownText(unknownCommand("rewind"))).toContain("There is no command /rewind. Esc Esc rewinds.");
});

test("/help has a page for each topic, and each page fits a screen of 80x24", async () => {
  const pages = commandTopics.length + 1;
  const dialogs = driveDialog([...Array.from({ length: pages }, () => "right"), "escape"]);
  expect((await runCommand("/help", { dialogs })).items).toEqual([]);
  expect(dialogs.hasClosed()).toBe(true);
  expect(dialogs.screens[pages]).toBe(dialogs.screens[0]);
  for (const [at, { title, commands: ofTopic }] of commandTopics.entries()) {
    expect(dialogs.screens[at]).toContain(`[${title}]`);
    for (const { usage } of ofTopic) expect(dialogs.screens[at]).toContain(`\n  ${usage} `);
  }
  expect(dialogs.screens[pages - 1]).toMatch(/\[Keys\][^]*\n {2}Ctrl\+C /u);
  expect(dialogs.screens.join("\n")).not.toContain("more rows");
});

test("/help scrolls on a small screen, and is never wider than it", async () => {
  const dialogs = driveDialog(["pagedown", "up", "left", "q"], { width: 39, max: 6 });
  await runCommand("/help", { dialogs });
  expect(dialogs.screens[0]).toContain("more rows");
  expect(dialogs.screens[1]).not.toBe(dialogs.screens[0]);
  expect(dialogs.screens[3]).toContain("[Keys]");
  for (const row of dialogs.screens.flatMap((screen) => screen.split("\n"))) expect(widthOf(row)).toBeLessThan(40);
});

test("on a narrow screen, a text that has no room beside its beginning is below it", async () => {
  const dialogs = driveDialog(["left", "q"], { width: 39, max: 20 });
  await runCommand("/help", { dialogs });
  expect(dialogs.screens[0]).toMatch(/ {2}\/undo \[label \[N\]\] *\n {4}undo the last memory edit, or edit\n/u);
  const listing = linesPanel(
    "ok       objects        Rows reference 0 objects.\n                        All of them exist.\nsandbox  off",
  );
  expect(shownText({ items: [listing] }, 79)).toBe(
    "\nok       objects        Rows reference 0 objects. All of them exist.\nsandbox  off",
  );
  expect(shownText({ items: [listing] }, 39).replaceAll(/ +$/gmu, "")).toBe(
    "\nok       objects\n  Rows reference 0 objects. All of them\n  exist.\nsandbox  off",
  );
});

test("/search shows hits in recall and in the archive, each with its exact total", async () => {
  const runtime = createFakeRuntime({ hits: ["I like sailing"], total: 12 });
  expect(shownText(await runCommand("/search sailing", { runtime }))).toBe(
    [
      "",
      "What was said: 12 found, these are the first 1",
      "  2026-11-20 you  I like sailing",
      "",
      "Archival memory: 12 found, these are the first 1",
      "  2026-11-20  I like sailing  [boat]",
    ].join("\n"),
  );
  expect(shownText(await runCommand("/search", { runtime }))).toContain("Expected words");
  expect(shownText(await runCommand("/search --explain", { runtime }))).toContain("Expected words");
  expect(shownText(await runCommand("/search x"))).toContain('No message and no passage matches "x".');
});

test("/archival lists the newest, and searches for a text", async () => {
  const runtime = createFakeRuntime({ hits: ["I like sailing"], total: 12 });
  const found = "\n12 found, these are the first 1\n  2026-11-20  I like sailing  [boat]";
  expect(shownText(await runCommand("/archival", { runtime }))).toBe(found);
  expect(shownText(await runCommand("/archival boats", { runtime }))).toBe(found);
  expect(shownText(await runCommand("/archival boats"))).toContain('Archival memory has nothing on "boats".');
});

test("searches mark matches, and fit the width whatever the text", async () => {
  const texts = ["She sails a Café boat", "a".repeat(1e6), "我在海边划船👨‍👩‍👧", "\ud800\u001b[2J </human>\n\nsail"];
  const outcome = await runCommand("/archival sailing cafe", { runtime: createFakeRuntime({ hits: texts }) });
  const spans = outcome.items.flatMap((item) => itemRows(item, 79)).flat();
  expect(spans.filter(({ tone }) => tone === "match").map(({ text }) => text)).toEqual(["sails", "Café", "sail"]);
  for (const width of [20, 39, 79]) {
    for (const row of outcome.items.flatMap((item) => itemRows(item, width))) {
      expect(rowWidth(row)).toBeLessThanOrEqual(width);
      expect(rowText(row)).not.toContain("\u001b");
    }
  }
});

test.each(["/search --explain sailing", "/search sailing --explain", "/archival --explain sailing"])(
  "%s shows why each hit was found",
  async (line) => {
    const runtime = createFakeRuntime({ hits: ["I like sailing"] });
    expect(shownText(await runCommand(line, { runtime }))).toContain(
      [
        "  2026-11-20  I like sailing  [boat]",
        "    words rank 1, score 0.0608 · meaning not compared · literal contains the",
        "    exact query · importance 0.5 · total 1.25",
      ].join("\n"),
    );
  },
);

test("/search --explain also tells how much of a message's score came from neighbouring messages", async () => {
  const runtime = createFakeRuntime({ hits: ["I like sailing"] });
  expect(shownText(await runCommand("/search --explain sailing", { runtime }))).toContain(
    [
      "  2026-11-20 you  I like sailing",
      "    words rank 1, score 0.5, 25 % of it from neighbouring messages · meaning",
      "    not compared · literal contains the exact query · total 1.25",
    ].join("\n"),
  );
});

test("a search shows a message's author and a passage's location", async () => {
  const runtime = createFakeRuntime({ hits: ["I like sailing"] });
  const { hits, ...found } = await runtime.archival.search("agent-1", "sailing");
  const hit = { ...hits[0]!, tags: [], role: "user" as const, speaker: "Ben\u001b[2J\nB" };
  const source = { name: "handbook", file: "guide.md", page: 3 };
  const archival = { ...runtime.archival, search: async () => ({ ...found, hits: [{ ...hit, source }] }) };
  expect(shownText(await runCommand("/archival boats", { runtime: { ...runtime, archival } }))).toContain(
    "  2026-11-20 Ben B  I like sailing  handbook, guide.md, page 3",
  );
});

test("/pop removes three messages by default, or a number, and refuses other input", async () => {
  const messages = Array.from({ length: 8 }, (_, index) => storedMessage("user", `m${index}`, index));
  const agent = createFakeAgent({ messages });
  expect(shownText(await runCommand("/pop", { agent }))).toContain("Popped the last 3 messages.");
  expect(shownText(await runCommand("/pop 1", { agent }))).toContain("Popped the last 1 message.");
  expect(agent.popped).toEqual([3, 1]);
  expect(shownText(await runCommand("/pop many", { agent }))).toContain('Expected a number of messages, got "many".');
  await expect(runCommand("/pop 99", { agent })).rejects.toThrow("cannot pop more than");
});

test("/pop shows the reverted memory edits, and --keep-memory keeps them", async () => {
  const reverted = {
    edits: [revision({ revision: 2, before: "Name: Ada", after: "Name: Ada\nSails" }), revision()],
    passages: [
      {
        id: "p",
        text: "Ada won\na regatta.",
        tags: [],
        kind: "memory",
        origin: "model",
        trust: "model",
        importance: 0.5,
        source: null,
        at: commandTime,
      } as const,
    ],
  };
  const messages = Array.from({ length: 8 }, (_, index) => storedMessage("user", `m${index}`, index));
  const agent = createFakeAgent({ messages, reverted });
  expect(shownText(await runCommand("/pop 1", { agent }))).toBe(
    [
      "· Popped the last 1 message.",
      "· Reverted revision 2 of human, revision 1 of human, 1 passage of the archive.",
      "✎ human 9/4000  - Sails",
      "✎ human 0/4000  - Name: Ada",
      "",
      "  - Ada won a regatta.",
    ].join("\n"),
  );
  expect(shownText(await runCommand("/pop 1 --keep-memory", { agent }))).toBe(
    "· Popped the last 1 message. Memory is unchanged.",
  );
  await runCommand("/pop --force", { agent });
  expect(agent.choices).toEqual(["revert", "keep", "force"]);
});

test("/pop and /retry with dependent edits are refused with advice", async () => {
  const standsOn = new DependentEditsError([{ label: "human", revisions: [1], later: [2] }]);
  const messages = Array.from({ length: 8 }, (_, index) => storedMessage("user", `m${index}`, index));
  const agent = createFakeAgent({ messages, standsOn });
  await expect(runCommand("/pop 2", { agent })).rejects.toBe(standsOn);
  expect(adviceFor(standsOn.code)).toContain("--keep-memory");
  expect(adviceFor("undo_refused")).toContain("palimpsest compactions list");
  expect(shownText(await runCommand("/pop 2 --keep-memory", { agent }))).toContain("Popped the last 2 messages.");
});

test.each([
  ["/pop 2 --keep", "Unknown flag --keep."],
  ["/pop --force --keep-memory", "Expected one of --keep-memory and --force, got both."],
  ["/pop 1 2", 'Expected a number of messages, got "1 2".'],
  ["/retry now", '/retry takes no words, got "now".'],
  ["/undo human x", 'Expected a module and the number of an edit, got "human x".'],
  ["/undo human 1 2", 'Expected a module and the number of an edit, got "human 1 2".'],
  ["/undo --keep-memory", "Unknown flag --keep-memory."],
])("%s is refused", async (line, said) => {
  const agent = createFakeAgent({ messages: [storedMessage("user", "hi")] });
  const outcome = await runCommand(line, { agent });
  expect(shownText(outcome)).toContain(said);
  expect(outcome.effect).toBeUndefined();
  expect([agent.popped, agent.choices, agent.undoWishes]).toEqual([[], [], []]);
});

test("/undo takes a revision, and shows all edits reverted with it", async () => {
  const later = [revision({ revision: 2, before: "Name: Ada", after: "Name: Eve" })];
  const agent = createFakeAgent({ undone: { ...revision(), later } });
  expect(shownText(await runCommand("/undo human 1 --force", { agent }))).toContain(
    "Reverted revision 2 of human, revision 1 of human.",
  );
  await runCommand("/undo", { agent });
  expect(agent.undoWishes).toEqual([
    { label: "human", revision: 1, force: true },
    { label: undefined, force: false },
  ]);
});

test("/undo shows the reverted edit, reversed", async () => {
  const agent = createFakeAgent({ undone: revision({ before: "", after: "Name: Ada" }) });
  expect(shownText(await runCommand("/undo", { agent }))).toBe(
    "· Reverted revision 1 of human.\n✎ human 0/4000  - Name: Ada",
  );
  expect(shownText(await runCommand("/undo"))).toContain("There is no memory edit to undo.");
});

test("/consolidate shows a diff with quotes, and reviews the newest run", async () => {
  const calls: [string, ...unknown[]][] = [];
  const runtime = { ...createFakeRuntime(), consolidation: fakeConsolidations(calls) };
  expect(shownText(await runCommand("/consolidate", { runtime }))).toContain("- Likes tea");
  const list = async () => [];
  await runCommand("/consolidate", { runtime: { ...runtime, consolidation: { ...runtime.consolidation, list } } });
  await runCommand("/consolidate apply 1", { runtime });
  await runCommand("/consolidate undo", { runtime });
  expect(calls.map(([name, , options]) => [name, options])).toEqual([
    ["consolidation.run", undefined],
    ["consolidation.apply", { operations: [1] }],
    ["consolidation.undo", undefined],
  ]);
  expect(shownText(await runCommand("/consolidate undo 1", { runtime }))).toContain("the whole run");
  expect(shownText(await runCommand("/consolidate keep", { runtime }))).toContain("Expected apply, reject or undo");
});

test("/compact shows the tokens before and after", async () => {
  expect(shownText(await runCommand("/compact"))).toContain("Compacted 12 messages: 6,012 → 1,204 tokens.");
});

test("/compact takes a focus, also under MemGPT's name for it", async () => {
  const agent = createFakeAgent();
  await runCommand("/compact the boat's name", { agent });
  await runCommand("/summarize", { agent });
  await runCommand("/Summarize undo", { agent });
  expect(agent.sent).toEqual(["/compact the boat's name", "/compact", "/compact undo"]);
});

test("/compact undo restores the messages", async () => {
  const agent = createFakeAgent();
  await expect(runCommand("/compact undo", { agent })).rejects.toThrow(/no compaction to undo/u);
  await runCommand("/compact", { agent });
  expect(shownText(await runCommand("/compact UNDO", { agent }))).toContain(
    "in the window again: 1,204 → 6,012 tokens.",
  );
});

test("/save names the conversation and the command that resumes it", async () => {
  const agent = createFakeAgent();
  expect(shownText(await runCommand("/save", { agent }))).toContain(`palimpsest -a sam -r ${agent.conversationId}`);
});

test("/retry runs a turn again, or reports that there is none", async () => {
  const agent = createFakeAgent({ messages: [storedMessage("user", "Who am I?")] });
  const outcome = await runCommand("/retry", { agent });
  expect(outcome.effect?.type).toBe("turn");
  expect(shownText(outcome)).toContain("> Who am I?");
  expect((await runCommand("/retry")).effect).toBeUndefined();
});

test("/new and /exit change the chat's next conversation", async () => {
  const opened = createFakeAgent({ conversationId: "new-one" });
  const asked: unknown[] = [];
  const runtime = createFakeRuntime({
    open: (conversation) => {
      asked.push(conversation);
      return opened;
    },
  });
  expect((await runCommand("/new", { runtime })).effect).toEqual({ type: "open", agent: opened });
  expect(asked).toEqual(["new"]);
  expect((await runCommand("/exit")).effect).toEqual({ type: "set", change: { hasLeft: true } });
});

describe("/branch", () => {
  const branch = (id: string, preview: string, isCurrent = false) => ({
    id,
    preview,
    messages: 4,
    at: commandTime,
    isCurrent,
    forkId: isCurrent ? null : "message-1",
    ownMessages: isCurrent ? 0 : 2,
  });
  const branches = [
    branch("0194-00a1", "this one", true),
    branch("0194-00b1", "about\nsailing"),
    branch("0194-00b2", ""),
  ];
  const createAgent = () => createFakeAgent({ branches, messages: [storedMessage("user", "ahoy")] });

  test("lists branches by number", async () => {
    const text = shownText(await runCommand("/branch", { agent: createAgent() }));
    expect(text).toContain("  1  4 messages, this one, just now  this one");
    expect(text).toContain("  2  4 messages, 2 of its own, just now  about sailing");
    expect(text).toContain("  3  4 messages, 2 of its own, just now  (nothing said)");
    expect(text).toContain("/branch 2 switches to the second one.");
    expect(shownText(await runCommand("/branch"))).toContain("there are no branches");
    const only = shownText(await runCommand("/branch", { agent: createFakeAgent({ branches: branches.slice(0, 1) }) }));
    expect(only).toContain("There is no other branch yet: /retry and /pop create one.");
    expect(only).not.toContain("/branch 2");
  });

  test.each(["/branch 2", "/branch 00B1"])("%s switches to that branch and shows its end", async (line) => {
    const agent = createAgent();
    const outcome = await runCommand(line, { agent });
    expect(agent.switched).toEqual(["0194-00b1"]);
    expect(outcome.effect).toEqual({ type: "open", agent });
    expect(shownText(outcome)).toContain("Memory is unchanged");
    expect(shownText(outcome)).toContain("> ahoy");
  });

  test("reports an unknown, an ambiguous and the current branch, and does not switch", async () => {
    const agent = createAgent();
    expect(shownText(await runCommand("/branch 77", { agent }))).toContain('There is no branch "77".');
    expect(shownText(await runCommand("/branch -00", { agent }))).toContain('There is no branch "-00".');
    expect(shownText(await runCommand("/branch 1", { agent }))).toContain("is the current branch");
    const two = createFakeAgent({ branches: [branch("0194-00c1", "a"), branch("0194-01c1", "b")] });
    expect(shownText(await runCommand("/branch c1", { agent: two }))).toContain("is the end of 2 ids");
    expect([agent.switched, two.switched]).toEqual([[], []]);
  });
});

test("/context draws a bar over the width, a line per tier, what was left out, and the last calls", async () => {
  const report = {
    ...storedReport,
    total: 6000,
    counted: 5000,
    factor: 1.2,
    tiers: {
      system: { tokens: 2000, granted: 2000, parts: { coreMemory: 300, tools: 1200, changes: 0, instructions: 500 } },
      working: { tokens: 3000, granted: 3000, parts: { turn: 0, recentTurns: 3000 } },
      archive: { tokens: 1000, granted: 1000, parts: { summaries: 400, olderTurns: 600 } },
    },
    leftOut: [{ part: "turns" as const, count: 3, tokens: 900, reason: "older than the budget allows" }],
    compacted: { messages: 40, summaries: 1 },
  };
  const steps = [3, 2, 1].map((ordinal) => ({
    id: `step-${ordinal}`,
    ordinal,
    turnId: "t",
    number: 1,
    model: "demo",
    finish: "end",
    usage: { inputTokens: 6100, outputTokens: 20, cachedInputTokens: 3050 },
    report: { ...storedReport, total: ordinal * 2000 },
    at: commandTime,
  }));
  const agent = { ...createFakeAgent({ steps }), context: () => ({ ...createFakeAgent().context(), report }) };
  const outcome = await runCommand("/context", { agent });
  const text = shownText(outcome, 80);
  expect(text).toContain("Window 6,000 of 8,192 tokens, 73% · layout stable");
  expect(text).toMatch(/^█{19}▓{31}▒{9}·{11}░{10}$/mu);
  expect(text).toContain("█ system     2,000  tools 1,200 · instructions 500 · core memory 300");
  expect(text).toContain("▓ working    3,000  last turns 3,000");
  expect(text).toContain("40 earlier messages have left the window, replaced by 1 summary.");
  expect(text).toContain("Counted 5,000 tokens, times 1.20, calibrated by the usage of the last calls.");
  expect(text).toContain("Left out: 3 turns, 900 tokens: older than the budget allows.");
  expect(text).toContain("last calls ▂▄▆ 6k at step 3");
  expect(text).toContain("Step 3: 6,100 tokens in (estimated 6,000), 50% of them cached, 20 out.");
  for (const width of [10, 39, 79, 199]) {
    for (const row of outcome.items.flatMap((item) => itemRows(item, width)))
      expect(rowWidth(row)).toBeLessThanOrEqual(width);
  }
  expect(shownText(await runCommand("/context 3"))).toContain("/context takes no argument.");
  expect(shownText(await runCommand("/context"))).toContain("No model call was made yet.");
});
