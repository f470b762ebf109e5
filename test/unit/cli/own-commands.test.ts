// The user's own commands, read from folders of Markdown files.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { listOwnCommands } from "../../../src/surfaces/cli/chat/own-commands.ts";
import { useFolderOfTest } from "../../support/folders.ts";

const folder = useFolderOfTest();

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder(), name)), { recursive: true });
    await writeFile(path.join(folder(), name), text);
  }
}
const listed = (...names: readonly string[]) => listOwnCommands(names.map((name) => path.join(folder(), name)));

test("each file is a command, by its front matter or its first line", async () => {
  await write({
    "user/review.md": '---\ndescription: "Look at a file"\nargument-hint: FILE\n---\nReview $1.\n',
    "user/plan.md": "# Make a plan\n\nFor $ARGUMENTS.",
    "user/crlf.md": "---\r\ndescription: Lines\r\n---\r\nText.\r\n",
  });
  const shown = (await listed("user")).map(({ textFor, ...rest }) => ({ ...rest, text: textFor("a.md") }));
  expect(shown).toEqual([
    { name: "crlf", summary: "Lines", form: "", text: "Text.\n\na.md" },
    { name: "plan", summary: "Make a plan", form: "", text: "# Make a plan\n\nFor a.md." },
    { name: "review", summary: "Look at a file", form: "FILE", text: "Review a.md." },
  ]);
});

test.each([
  ["Say $ARGUMENTS twice: $ARGUMENTS.", "a b", "Say a b twice: a b."],
  ["$1, then $2, never $3!", 'one "two words"', "one, then two words, never !"],
  ["It costs $10 and $ARGUMENTSX.", "", "It costs $10 and $ARGUMENTSX."],
  ["No place.", "what was typed", "No place.\n\nwhat was typed"],
  ["No place.", "", "No place."],
  ["$1", "$2 $ARGUMENTS", "$2"],
])("%j with %j is %j", async (text, argument, expected) => {
  await write({ "user/one.md": text });
  const [command] = await listed("user");
  expect(command?.textFor(argument)).toBe(expected);
});

test("the command of the later folder counts; other files, empty ones and large ones are left out", async () => {
  await write({
    "user/same.md": "user",
    "project/same.md": "project",
    "user/notes.txt": "no",
    "user/Two Words.md": "no",
    "user/empty.md": "---\ndescription: nothing\n---\n",
    "user/large.md": "x".repeat(70_000),
    "user/folder.md/inner.md": "no",
  });
  expect((await listed("user", "project", "missing")).map(({ name, textFor }) => [name, textFor("")])).toEqual([
    ["same", "project"],
  ]);
});
