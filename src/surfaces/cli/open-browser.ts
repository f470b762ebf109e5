// Opens an address in the user's browser.
// Invariant: the program that opens it outlives this one, and its failure is reported, not thrown.
import { spawn } from "node:child_process";

/** Returns the program that opens addresses, with its first arguments; null if the environment has no screen for a browser. */
export function browserOpener(
  platform: string,
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] | null {
  const { DISPLAY = "", WAYLAND_DISPLAY = "", SSH_CONNECTION = "" } = variables;
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  // A screen at the other end of a connection is not this machine's.
  if (platform === "darwin") return SSH_CONNECTION === "" ? ["open"] : null;
  return DISPLAY === "" && WAYLAND_DISPLAY === "" ? null : ["xdg-open"];
}

/** Milliseconds after which a program that still runs counts as a success: some stay as long as their browser. */
const settledMs = 1500;

/** Resolves to whether the program took the address. */
export function openBrowser([program = "", ...first]: readonly string[], address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [...first, address], { stdio: "ignore", detached: true });
    const timer = setTimeout(() => resolve(true), settledMs);
    const end = (isOpened: boolean): void => {
      clearTimeout(timer);
      resolve(isOpened);
    };
    child.on("error", () => end(false));
    child.on("exit", (code) => end(code === 0));
    child.unref();
  });
}
