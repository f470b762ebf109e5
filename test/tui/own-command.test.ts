// The user's own commands in the chat: what they send, and where they are listed.
import { runOwnCommand, withArguments } from "../../src/surfaces/terminal/conversation.ts";
import { driveDialog } from "../support/drive-dialog.ts";
import { runCommand } from "../support/run-command.ts";

const review = { name: "review", summary: "look at it", form: "FILE [FOCUS]", text: "Review $1." };
const listCommands = async () => [review];

test.each([
  ["Say $ARGUMENTS twice: $ARGUMENTS.", "a b", "Say a b twice: a b."],
  ["$1, then $2, never $3!", 'one "two words"', "one, then two words, never !"],
  ["It costs $10 and $ARGUMENTSX.", "", "It costs $10 and $ARGUMENTSX."],
  ["No place.", "what was typed", "No place.\n\nwhat was typed"],
  ["No place.", "", "No place."],
  ["$1", "$2 $ARGUMENTS", "$2"],
])("%j with %j is %j", (text, argument, expected) => {
  expect(withArguments(text, argument)).toBe(expected);
});

test("sends its text, and an unknown name is not one", async () => {
  const sent = await runOwnCommand("review", { argument: "a.md", listCommands });
  expect(sent?.effect).toEqual({ type: "send", text: "Review a.md.", files: [] });
  expect(await runOwnCommand("other", { argument: "", listCommands })).toBeNull();
  expect(await runOwnCommand("review", { argument: "" })).toBeNull();
});

test("/help has a page of them", async () => {
  const dialogs = driveDialog(["left", "left", "escape"]);
  await runCommand("/help", { dialogs, listCommands });
  expect(dialogs.screens[2]).toMatch(/\[Own\][^]*\n {2}\/review FILE \[FOCUS\] +look at it/u);
});
