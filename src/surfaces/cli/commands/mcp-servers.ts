// `palimpsest mcp add`, `list`, `test`, `login`, `logout` and `remove`: the MCP servers in the configuration file.
// Invariant: no secret of the configuration is printed.
import { createInterface } from "node:readline";
import { messageOf } from "../../../base/thrown-values.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { McpServerRecord, McpSetup, McpSignIn, McpToolRecord } from "../../../runtime/mcp.ts";
import { surfaceText } from "../../surface-words.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { indent } from "../format/listing-texts.ts";
import { openBrowser } from "../open-browser.ts";
import { settingsOf } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import { printError } from "../print.ts";
import type { World } from "../world.ts";

export const commands = commandTable({
  "mcp add": {
    usage: "NAME URL | NAME -- COMMAND [ARGUMENT...]",
    summary: "add a server whose tools agents use, or replace it",
    details:
      "The entry is written to the configuration file, which only you can read; everything else in it stays. A value such as\n" +
      "'${{ secrets.TOKEN }}' is looked up in the secrets file, which must already contain it. Calls wait for your approval.",
    flags: ["env", "header", "allow", "deny", "working-folder", "call-timeout", "config", "data-dir"],
    withoutStore: true,
    takes: { min: 2, max: 200 },
    async run(call, name, place) {
      const { command } = call.world;
      const entry = { ...placeOf(call, place), ...commonOf(call) };
      const { file, isNew } = await (await setupOf(call)).add(name, entry);
      return { text: `${isNew ? "Added" : "Replaced"} "${name}" in ${file}. Try it: ${command} mcp test ${name}` };
    },
  },
  "mcp list": {
    summary: "list the configured servers, their tools and approvals",
    details: "Starts or contacts each server. If the definition of a trusted tool has changed, the changes are shown.",
    flags: ["json", "config", "data-dir"],
    withoutStore: true,
    async run(call) {
      const servers = await (await setupOf(call)).list();
      const none = `No server is configured. To add one: ${call.world.command} mcp add NAME -- COMMAND`;
      const show = showIn(call.world);
      return {
        json: servers.map((server) => serverShape(server, show)),
        text: servers.length === 0 ? none : servers.map((server) => serverText(server, show)).join("\n"),
      };
    },
  },
  "mcp test": {
    usage: "NAME",
    summary: "connect to a server and describe its tools",
    details: "The exit code is 1 if the server cannot be used.",
    flags: ["json", "config", "data-dir"],
    withoutStore: true,
    async run(call) {
      const [server] = await (await setupOf(call)).list(call.words);
      if (server === undefined) return 1;
      const show = showIn(call.world);
      return {
        json: serverShape(server, show),
        text: serverText(server, show, { hasDescriptions: true }),
        exitCode: server.state === "connected" ? 0 : 1,
      };
    },
  },
  "mcp login": {
    usage: "NAME",
    summary: "sign in to a server with your browser",
    details:
      "Opens the page of the server in your browser, or shows its address, and waits for you. If the browser is on another\n" +
      "machine, paste the URL from its address bar here. The tokens are kept in the data folder, in a file that\n" +
      "only you can read.",
    flags: ["config", "data-dir"],
    withoutStore: true,
    async run(call, name) {
      const { world } = call;
      if (!world.isAttended)
        throw new ConfigError(
          `mcp login needs a terminal. Run the command in one; ${name} is then signed in for all processes that use the same data folder.`,
        );
      await (await setupOf(call)).signIn(name, (signIn) => accompany(call, signIn));
      return { text: `Signed in to "${name}". Its tools: ${world.command} mcp test ${name}` };
    },
  },
  "mcp logout": {
    usage: "NAME",
    summary: "forget the sign-in to a server",
    details: "Removes the tokens from the data folder. To revoke them, use the page of the server.",
    flags: ["config", "data-dir"],
    withoutStore: true,
    async run(call, name) {
      const wasSignedIn = await (await setupOf(call)).signOut(name);
      return { text: wasSignedIn ? `Signed out of "${name}".` : `You were not signed in to "${name}".` };
    },
  },
  "mcp remove": {
    usage: "NAME",
    summary: "remove a server from the configuration file",
    flags: ["config", "data-dir"],
    withoutStore: true,
    async run(call, name) {
      const { file } = await (await setupOf(call)).remove(name);
      return { text: `Removed "${name}" from ${file}.` };
    },
  },
});

function setupOf({ world, line }: CommandCall): Promise<McpSetup> {
  return world.openMcp(settingsOf(line), () => undefined);
}

/**
 * Returns the part of an entry that locates the server: a URL with headers, or a program with its arguments and environment.
 * Throws ConfigError for flags of the other kind.
 */
function placeOf({ words, line }: CommandCall, place: string): object {
  const args = words.slice(2);
  const isUrl = /^https?:\/\//iu.test(place);
  if (isUrl && args.length > 0) throw new ConfigError(`mcp add: expected nothing after the URL, got "${args[0]}".`);
  const others = isUrl ? (["env", "working-folder"] as const) : (["header"] as const);
  const other = others.find((name) => line.given.has(name));
  if (other !== undefined)
    throw new ConfigError(
      `mcp add: --${other} cannot be combined with ${isUrl ? "a URL" : "a command"}. Omit the flag.`,
    );
  const headers = pairsOf(line.lists.header, /^([^:\s]+)\s*:\s*(.*)$/u, '--header "NAME: VALUE"');
  if (isUrl) return { url: place, ...given({ headers }) };
  const env = pairsOf(line.lists.env, /^([^=\s]+)=(.*)$/su, "--env NAME=VALUE");
  return {
    command: place,
    ...given({ args: args.length === 0 ? undefined : args, env, cwd: line.texts["working-folder"] }),
  };
}

function commonOf({ line }: CommandCall): object {
  const { allow, deny } = line.lists;
  const seconds = line.texts["call-timeout"];
  return given({ allow, deny, timeoutSeconds: seconds === undefined ? undefined : secondsOf(seconds) });
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/u.test(text) && seconds >= 1 && seconds <= 3600) return seconds;
  throw new ConfigError(`--call-timeout: expected whole seconds from 1 to 3600, got "${text}".`);
}

/** Parses texts to names with values. A ConfigError for a malformed text does not quote it, because it may be a secret. */
function pairsOf(texts: readonly string[] | undefined, pattern: RegExp, form: string) {
  if (texts === undefined) return undefined;
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = pattern.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw new ConfigError(`Expected ${form}, got a text of another form (not shown, because it may be a secret).`);
      return [name, value];
    }),
  );
}

/** Opens the sign-in page in a browser, and passes addresses that the user pastes to `finish`, until the sign-in ends. */
async function accompany({ world }: CommandCall, { address, ended, finish, cancel }: McpSignIn): Promise<void> {
  world.signal.addEventListener("abort", cancel, { once: true });
  const isOpened = world.opener !== null && (await openBrowser(world.opener, address));
  printError(world, `${isOpened ? "Sign in on the opened browser page" : "To sign in, open this page"}: ${address}`);
  printError(
    world,
    "If the browser cannot reach this machine, paste the URL from its address bar here and press Enter.",
  );
  const lines = createInterface({ input: world.stdin, terminal: false });
  const stop = (): void => lines.close();
  // The caller of `signIn` handles the error of `ended`.
  ended.then(stop, stop);
  for await (const line of lines)
    if (line.trim() !== "") await finish(line.trim()).catch((error: unknown) => printError(world, messageOf(error)));
}

/** Returns the text without secrets, and with CLI commands instead of the names of library functions. */
type Show = (text: string) => string;

function showIn({ hide, command }: Pick<World, "hide" | "command">): Show {
  return (text) => surfaceText(hide(text), "command-line", command);
}

const approvals = {
  asks: "waits for approval",
  trusted: "runs at once",
  changed: "has changed since it was trusted, and waits for approval",
} as const;

function serverText(
  { name, location, state, problem, notes, tools, resources, prompts }: McpServerRecord,
  show: Show,
  { hasDescriptions = false } = {},
): string {
  const lines = [
    `${name}  ${state.replaceAll("-", " ")}  ${show(location)}`,
    ...(problem === null ? [] : [indent(show(problem))]),
    ...notes.map((note) => indent(show(note))),
    ...tools.map((tool) => indent(toolText(tool, hasDescriptions))),
    ...resources.map((resource) => indent(`@${name}:${resource.name}  resource`)),
    ...prompts.map((prompt) => indent(`/${name}:${prompt.name}  prompt`)),
  ];
  return lines.join("\n");
}

function toolText({ name, description, approval, change }: McpToolRecord, hasDescription: boolean): string {
  return [
    `${name}  ${approvals[approval]}`,
    ...(hasDescription ? [indent(description)] : []),
    ...(change === null ? [] : [indent(change)]),
  ].join("\n");
}

function serverShape({ location, problem, notes, ...server }: McpServerRecord, show: Show): object {
  return {
    ...server,
    location: show(location),
    problem: problem === null ? null : show(problem),
    notes: notes.map(show),
  };
}
