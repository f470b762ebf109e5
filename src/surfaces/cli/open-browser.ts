// Opens an address in the user's browser.
// Invariant: the program that opens the address may outlive Palimpsest; its failure is returned, not thrown.
import { spawn } from "node:child_process";

/** Returns the program that opens addresses, with its first arguments; null if the environment has no screen for a browser. */
export function browserOpener(
  platform: string,
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] | null {
  const { DISPLAY = "", WAYLAND_DISPLAY = "", SSH_CONNECTION = "" } = variables;
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  // A user who is connected by SSH does not see the screen of this machine.
  if (platform === "darwin") return SSH_CONNECTION === "" ? ["open"] : null;
  return DISPLAY === "" && WAYLAND_DISPLAY === "" ? null : ["xdg-open"];
}

/** Milliseconds after which a program that still runs counts as a success: some run as long as the browser. */
const settledMs = 1500;

/** Opens the address with a program. Resolves to whether the program succeeded. Never rejects. */
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
