// Lets the user's editor have a text, in a file that only they can read and that is gone afterwards.
// Invariant: the terminal's own settings are as before, however the editor ends; a failure is told and changes no text.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { messageOf } from "../../base/error-message.ts";

/** What became of the text. */
export type EditEnd =
  | { readonly type: "edited"; readonly text: string }
  | { readonly type: "failed"; readonly reason: string };

// The editor's name may be a command with arguments, as in `code --wait`.
const script = (editor: string): string =>
  `saved=$(stty -g 2>/dev/null); ${editor} "$1"; code=$?; [ -z "$saved" ] || stty "$saved"; exit "$code"`;

/** Opens `editor` (a command of the shell) on the text and waits for its end. */
export async function editText(text: string, editor: string): Promise<EditEnd> {
  // Its folder is made for the owner alone, so that copies which the editor makes beside the file are too.
  const folder = await mkdtemp(path.join(tmpdir(), "palimpsest-"));
  try {
    const file = path.join(folder, "message.md");
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
    const code = await run(editor, file);
    if (code !== 0) return { type: "failed", reason: `${editor} ended with code ${code}.` };
    return { type: "edited", text: (await readFile(file, "utf8")).replace(/\r?\n$/u, "") };
  } catch (error) {
    return { type: "failed", reason: `${editor} could not be used: ${messageOf(error)}.` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(editor: string, file: string): Promise<number | string> {
  const child =
    process.platform === "win32"
      ? spawn(`${editor} "${file}"`, { stdio: "inherit", shell: true })
      : spawn("/bin/sh", ["-c", script(editor), "sh", file], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? signal ?? 1));
  });
}
