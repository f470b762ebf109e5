// `palimpsest mcp add`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { printText } from "../print.ts";

export const mcpAdd: Command = {
  words: ["mcp", "add"],
  usage: "NAME URL | NAME -- COMMAND [ARGUMENT...]",
  summary: "add a server whose tools agents use, or replace it",
  details:
    "The entry is written to the configuration file, which only you can read; everything else in it stays. A value such as\n" +
    "'${{ secrets.TOKEN }}' is looked up in the secrets file when the server is started. Calls wait for your approval.",
  flags: ["env", "header", "allow", "deny", "working-folder", "call-timeout", "config", "data-dir"],
  takes: { min: 2, max: 200 },
  async run(call) {
    const { world, line, words } = call;
    const [name = "", place = "", ...args] = words;
    const entry = { ...(isUrl(place) ? httpEntry(call, args) : programEntry(call, args)), ...commonOf(call) };
    const setup = await world.openMcp(settingsOf(line), () => undefined);
    const { file, isNew } = await setup.add(name, entry);
    printText(world, `${isNew ? "Added" : "Replaced"} "${name}" in ${file}. Try it: ${world.command} mcp test ${name}`);
    return 0;
  },
};

function isUrl(place: string): boolean {
  return /^https?:\/\//iu.test(place);
}

function httpEntry({ words, line }: CommandCall, more: readonly string[]): object {
  if (more.length > 0) throw new ConfigError(`mcp add: expected nothing after the URL, got "${more[0]}".`);
  refuse(line, ["env", "working-folder"], "a URL");
  const headers = pairsOf(line.lists.header, /^([^:\s]+)\s*:\s*(.*)$/u, '--header "NAME: VALUE"');
  return { url: words[1], ...(headers === undefined ? {} : { headers }) };
}

function programEntry({ words, line }: CommandCall, args: readonly string[]): object {
  refuse(line, ["header"], "a program");
  const env = pairsOf(line.lists.env, /^([^=\s]+)=(.*)$/su, "--env NAME=VALUE");
  const cwd = line.texts["working-folder"];
  return {
    command: words[1],
    ...(args.length === 0 ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function refuse(line: CommandCall["line"], names: readonly ("env" | "header" | "working-folder")[], kind: string) {
  const given = names.find((name) => line.given.has(name));
  if (given !== undefined) throw new ConfigError(`mcp add: --${given} does not go with ${kind}.`);
}

function commonOf({ line }: CommandCall): object {
  const { allow, deny } = line.lists;
  const seconds = line.texts["call-timeout"];
  return {
    ...(allow === undefined ? {} : { allow }),
    ...(deny === undefined ? {} : { deny }),
    ...(seconds === undefined ? {} : { timeoutSeconds: secondsOf(seconds) }),
  };
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/u.test(text) && seconds >= 1 && seconds <= 3600) return seconds;
  throw new ConfigError(`--call-timeout: expected a number from 1 to 3600, got "${text}".`);
}

/** The values are not shown: they may be secrets. */
function pairsOf(given: readonly string[] | undefined, pattern: RegExp, form: string) {
  if (given === undefined) return undefined;
  return Object.fromEntries(
    given.map((text) => {
      const [, name, value] = pattern.exec(text) ?? [];
      if (name === undefined || value === undefined) throw new ConfigError(`Expected ${form}, got something else.`);
      return [name, value];
    }),
  );
}
