// Reads an image from the clipboard with wl-paste (Wayland), xclip (X11) or pngpaste (macOS), and determines whether
// the terminal accepts clipboard writes.
// Invariant: nothing is installed or written; time and size are limited.
import { execFile } from "node:child_process";
import { systemErrorCode } from "../../../base/thrown-values.ts";
import type { ClipboardImage } from "./load-terminal.ts";

const maxBytes = 20_000_000;
const maxMs = 5_000;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A tool with the arguments that print the clipboard as PNG. */
type Tool = readonly [name: string, ...args: readonly string[]];

const systemTools: readonly Tool[] = [
  ["wl-paste", "--no-newline", "--type", "image/png"],
  ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"],
  ["pngpaste", "-"],
];

type Outcome = Uint8Array | "no image" | "too large" | "not installed";

/** Returns the image from the first tool that reads one; `none` if all tools fail. Never rejects. */
export async function readClipboardImage(tools: readonly Tool[] = systemTools): Promise<ClipboardImage> {
  const failures = new Set<Outcome>();
  for (const tool of tools) {
    const outcome = await ask(tool);
    if (typeof outcome !== "string") return { type: "image", data: outcome };
    failures.add(outcome);
  }
  return { type: "none", reason: reasonOf(failures, tools) };
}

function reasonOf(failures: ReadonlySet<Outcome>, tools: readonly Tool[]): string {
  if (failures.has("too large")) return `The image in the clipboard is larger than ${maxBytes / 1_000_000} MB.`;
  if (failures.has("no image")) return "The clipboard contains no image.";
  const names = new Intl.ListFormat("en", { type: "disjunction" }).format(tools.map(([name]) => name));
  return `To paste images, install ${names}, or type @PATH instead.`;
}

function ask([name, ...args]: Tool): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(name, args, { encoding: "buffer", maxBuffer: maxBytes, timeout: maxMs }, (error, stdout) => {
      if (error === null) resolve(stdout.subarray(0, signature.length).equals(signature) ? stdout : "no image");
      else if (systemErrorCode(error) === "ENOENT") resolve("not installed");
      else resolve(error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" ? "too large" : "no image");
    });
  });
}

/** Returns false for a terminal that is known to ignore clipboard writes (OSC 52), judged by environment variables. */
export function takesClipboard(variables: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM = "", TERM_PROGRAM = "", TMUX = "" } = variables;
  if (TERM_PROGRAM === "Apple_Terminal" || TERM === "linux" || TERM === "dumb") return false;
  // GNU screen ignores OSC 52. tmux also sets TERM to screen, but passes OSC 52 on to its terminal.
  return !TERM.startsWith("screen") || TMUX !== "";
}
