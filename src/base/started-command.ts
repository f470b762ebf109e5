// Returns the command that started Palimpsest, and puts it into texts that tell users to run a command.
// Invariant: pure. In texts, such a command is in backticks and begins with `palimpsest`; the front ends replace that name.

export interface ProcessStart {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The absolute path of Palimpsest's script as Node reports it: for a start through a symbolic link, the path of the link. */
  readonly script: string;
  readonly workingFolder: string;
}

/** Returns what a user types before the arguments to start Palimpsest in the same way: `npm start --`. */
export function startedCommand({ env, script, workingFolder }: ProcessStart): string {
  if (env["npm_package_name"] === "palimpsest" && env["npm_lifecycle_event"] === "start") return "npm start --";
  if (env["npm_command"] === "exec") return "npx palimpsest";
  const path = script.replaceAll("\\", "/");
  const folder = `${workingFolder.replaceAll("\\", "/").replace(/\/$/u, "")}/`;
  const packages = path.lastIndexOf("/node_modules/");
  // If the script is in node_modules of the current project, only npm finds the command. Otherwise, the installation is global.
  if (packages >= 0) return folder.startsWith(path.slice(0, packages + 1)) ? "npx palimpsest" : "palimpsest";
  if (!path.endsWith(".js")) return "palimpsest";
  const shown = path.startsWith(folder) ? path.slice(folder.length) : script;
  return `node ${/[^\w./:\\-]/u.test(shown) ? `"${shown}"` : shown}`;
}

/** Returns the text with `command` as the name: `palimpsest doctor` in backticks becomes `npm start -- doctor`. */
export function nameCommand(text: string, command: string): string {
  return text.replace(/`palimpsest([ `])/gu, (_, next: string) =>
    next === "`" ? `\`${command.replace(/ --$/u, "")}\`` : `\`${command} `,
  );
}
