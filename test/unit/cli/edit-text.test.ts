// The user's editor: what it leaves is the text, and what goes wrong is told.
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { editText } from "../../../src/cli/chat/edit-text.ts";

const folders = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("palimpsest-"));

test.each([
  ["as it was", "true", "text", "text"],
  ["with one line end less", "sed -i s/a/b/", "a\nend\n", "b\nend"],
  ["empty", "truncate -s 0", "gone", ""],
  ["with all its characters", "true", "漢字 👍 </human> %_", "漢字 👍 </human> %_"],
  ["of a million characters", "true", "a".repeat(1e6), "a".repeat(1e6)],
])("the text is returned %s", async (_title, editor, before, after) => {
  expect(await editText(before, editor)).toEqual({ type: "edited", text: after });
});

test.each([
  ["that fails", "false", "false ended with code 1."],
  ["that is not there", "no-such-editor", "no-such-editor ended with code 127."],
  ["that is killed", "kill -9 $$;", "ended with code SIGKILL."],
  ["that removes the file", "rm", "rm failed: ENOENT"],
])("an editor %s is reported", async (_title, editor, reason) => {
  expect(await editText("kept", editor)).toEqual({ type: "failed", reason: expect.stringContaining(reason) });
});

test("nothing is left behind", async () => {
  const before = folders();
  await editText("secret", "cp --backup /etc/hostname");
  await editText("secret", "false");
  expect(folders()).toEqual(before);
});
