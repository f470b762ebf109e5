// The user's own commands in the chat: what they send, and where they are listed.
import { runOwnCommand } from "../../src/surfaces/terminal/conversation.ts";
import { driveDialog } from "../support/drive-dialog.ts";
import { runCommand } from "../support/run-command.ts";

const review = {
  name: "review",
  summary: "look at it",
  form: "FILE [FOCUS]",
  textFor: (given: string) => `Review ${given}.`,
};
const listCommands = async () => [review];

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
