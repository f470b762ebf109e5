// The user's editor: what it leaves is the text, and what goes wrong is told.
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { editText } from "../../../src/surfaces/cli/chat/edit-text.ts";

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

test.each([
  ["edits", "true"],
  ["fails", "false"],
])("an editor that %s leaves nothing behind, also not its own backup", async (_title, end) => {
  const own = await mkdtemp(path.join(tmpdir(), "palimpsest-edit-text-"));
  try {
    const seen = path.join(own, "seen");
    await editText("secret", `edit() { cp "$1" "$1~"; echo "$1" >${seen}; ${end}; }; edit`);
    const file = (await readFile(seen, "utf8")).trim();
    expect(path.basename(file)).toBe("message.md");
    expect(existsSync(path.dirname(file))).toBe(false);
  } finally {
    await rm(own, { recursive: true });
  }
});
