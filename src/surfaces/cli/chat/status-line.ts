// Creates the user's own status line of the chat, from a template in the settings or the first line that a command prints.
// Invariant: a command is ended after 5 seconds. It can read the facts about the chat as JSON from its standard input.
import { ConfigError } from "../../../base/errors.ts";
import { runShell } from "./run-shell.ts";

const maxMs = 5_000;

/** Returns the function that makes the status line. `setting` is a template, or `!` and a shell command. */
export function createStatusLine(setting: string, shell: string): (facts: object) => Promise<string> {
  const command = /^!(.*)$/su.exec(setting)?.[1];
  if (command === undefined) return async (facts) => filledTemplate(setting, facts);
  return async (facts) => {
    const input = `${JSON.stringify(facts)}\n`;
    const { text, problem } = await runShell(shell, command, { signal: new AbortController().signal, maxMs, input });
    const [line = ""] = text.trim().split("\n");
    if (problem !== null) throw new ConfigError(line === "" ? problem : `${problem}: ${line}`);
    return line;
  };
}

/** Returns the template with each fact instead of its name in braces. Unknown names are kept. */
function filledTemplate(template: string, facts: object): string {
  const values = new Map<string, unknown>(Object.entries(facts));
  return template.replaceAll(/\{(\w+)\}/gu, (all, name: string) => {
    const value = values.has(name) ? values.get(name) : all;
    if (typeof value !== "number") return typeof value === "string" ? value : "";
    return name === "cost" ? value.toFixed(4) : value.toLocaleString("en");
  });
}
