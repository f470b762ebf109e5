// Opens a text in the user's editor through a private temporary file.
// Invariant: the terminal's settings are restored, however the editor ends; a failure is reported and changes no text.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { messageOf } from "../../../base/thrown-values.ts";
import type { EditEnd } from "./load-terminal.ts";

// `editor` is not quoted, because it may be a command with arguments, such as `code --wait`.
const script = (editor: string): string =>
  `saved=$(stty -g 2>/dev/null); ${editor} "$1"; code=$?; [ -z "$saved" ] || stty "$saved"; exit "$code"`;

/** Opens the text in `editor`, a shell command. Resolves to the outcome when the editor exits. */
export async function editText(text: string, editor: string): Promise<EditEnd> {
  // The folder is private, so that the editor's backup copies in it are private too.
  const folder = await mkdtemp(path.join(tmpdir(), "palimpsest-"));
  try {
    const file = path.join(folder, "message.md");
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
    const code = await run(editor, file);
    if (code !== 0) return { type: "failed", reason: `${editor} ended with code ${code}.` };
    return { type: "edited", text: (await readFile(file, "utf8")).replace(/\r?\n$/u, "") };
  } catch (error) {
    return { type: "failed", reason: `${editor} failed: ${messageOf(error)}.` };
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
