// A reply in Markdown at every size, including small ones; and resizing during a reply.
import { largeSize, readyHint, usualSize } from "./chat-terminal.ts";
import { expectScreen, expectScreens } from "./golden-screen.ts";
import { openHeldChat } from "./held-chat.ts";
import { useScene } from "../support/use-scene.ts";

const sizes = [largeSize, { columns: 250, rows: 60 }, { columns: 40, rows: 15 }, { columns: 20, rows: 10 }];
const markdown = `, here it is.

# The plan

1. Pack **light**
   - a jacket, and *one* pair of shoes
   - \`passport\`
2. Go to 東京 🗼 by way of Zürich

## In code

\`\`\`ts
const days: number = 3; // 三日
\`\`\`

| Day | Where | Cost |
| --- | :---: | ---: |
| 1 | Zürich | 120 |
| 2 | 東京 🗼 | 4,300 |

> Do not be late.

More on [the pass](https://example.com/pass).
`;

describe("replies", () => {
  const chat = useScene(() => openHeldChat());

  test("the welcome fits every size", async () => {
    await expectScreens(chat.terminal, "welcome-resized", { sizes });
  });

  test("Markdown is rendered at every size", async () => {
    const { terminal, model } = chat;
    await terminal.say("Plan it.");
    await terminal.until("● Well");
    model.say(markdown);
    model.finish("");
    await terminal.until("the pass");
    await terminal.until(readyHint);
    await expectScreens(terminal, "markdown", { sizes });
  });

  test("rows do not change when the terminal becomes lower, for a moment or permanently", async () => {
    const { terminal } = chat;
    await terminal.resize({ columns: 80, rows: 10 });
    await terminal.until("the pass");
    await terminal.resize({ columns: 200, rows: 10 });
    await terminal.resize(usualSize);
    // How many rows of its scrollback the terminal brings back depends on what the chat drew at the sizes between.
    await expectScreen(terminal, "markdown", { slack: usualSize.rows });
    expect(
      (await terminal.everything()).match(/The plan|Pack light|passport|Day │|4,300|Do not be|the pass/gu),
    ).toEqual(["The plan", "Pack light", "passport", "Day │", "4,300", "Do not be", "the pass"]);
    await terminal.resize({ columns: 80, rows: 12 });
    await terminal.untilTrue("Rows are missing", async () =>
      /the pass[^\n]*\n\n>\n[^\n]*\nEnter send[^\n]*$/u.test(await terminal.screen()),
    );
    await terminal.resize(usualSize);
  });

  test("no row is duplicated or lost when the terminal is resized during a reply", async () => {
    const { terminal, model } = chat;
    await terminal.say("/new");
    await terminal.until("A new conversation.");
    await terminal.say("Count.");
    await terminal.until("● Well");
    const lines = Array.from({ length: 12 }, (_, index) => `- number ${index + 1} of the list, said in its turn`);
    const resized = [
      { columns: 44, rows: 40 },
      { columns: 120, rows: 40 },
      { columns: 60, rows: 30 },
      { columns: 100, rows: 45 },
    ];
    model.say(":\n\n");
    for (const [index, size] of resized.entries()) {
      model.say(`${lines.slice(index * 3, index * 3 + 3).join("\n")}\n`);
      await terminal.resize(size);
      await terminal.until(`number ${index * 3 + 2} of`);
    }
    model.finish("");
    await terminal.until(readyHint);
    await terminal.untilQuiet();
    const shown = (await terminal.screen()).match(/number \d+ of the list, said in its turn/gu);
    expect(shown).toEqual(lines.map((line) => line.slice(2)));
    expect((await terminal.screen()).match(/● Well:|> Count\.|Enter send/gu)).toEqual([
      "> Count.",
      "● Well:",
      "Enter send",
    ]);
    await terminal.resize(usualSize);
  });
});
