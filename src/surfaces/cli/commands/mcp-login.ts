// `palimpsest mcp login`.
import { createInterface } from "node:readline";
import { messageOf } from "../../../base/thrown-values.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { McpSignIn } from "../../../runtime/mcp.ts";
import type { Command, CommandCall } from "../command.ts";
import { openBrowser } from "../open-browser.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { printError, printText } from "../print.ts";

export const mcpLogin: Command = {
  words: ["mcp", "login"],
  usage: "NAME",
  summary: "sign in to a server with your browser",
  details:
    "Opens the page of the server in your browser, or shows its address, and waits for you. If the browser is on another\n" +
    "machine, paste the address that it was sent to. The tokens are kept in the data folder, in a file that only you can read.",
  flags: ["config", "data-dir"],
  takes: { min: 1, max: 1 },
  async run(call) {
    const { world, line, words } = call;
    const [name = ""] = words;
    if (!world.isAttended)
      throw new ConfigError(
        `mcp login: expected a terminal, in which you can sign in. Run it there; ${name} is signed in for all programs that use the same data folder.`,
      );
    const setup = await world.openMcp(settingsOf(line), () => undefined);
    await setup.signIn(name, (signIn) => accompany(call, signIn));
    printText(world, `Signed in to "${name}". Its tools: ${world.command} mcp test ${name}`);
    return 0;
  },
};

/** Shows the page, and passes on the addresses that the user pastes. */
async function accompany({ world }: CommandCall, { address, ended, finish, cancel }: McpSignIn): Promise<void> {
  world.signal.addEventListener("abort", cancel, { once: true });
  const isOpened = world.opener !== null && (await openBrowser(world.opener, address));
  printError(world, `${isOpened ? "Sign in with your browser, which is at" : "Open this in your browser"}: ${address}`);
  printError(
    world,
    "If the browser cannot come back to this machine, paste the address that it was sent to, and Enter.",
  );
  const lines = createInterface({ input: world.stdin, terminal: false });
  const stop = (): void => lines.close();
  // Its error goes to the caller of `signIn`.
  ended.then(stop, stop);
  for await (const line of lines)
    if (line.trim() !== "") await finish(line.trim()).catch((error: unknown) => printError(world, messageOf(error)));
}
