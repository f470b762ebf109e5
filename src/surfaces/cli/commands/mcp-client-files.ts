// Adds Palimpsest to the configuration files of programs that use MCP servers.
// Invariant: an entry is added only to a file that is new, empty or valid JSON. The other content of the file is kept.
import { isObject, parseObject } from "../../../base/json-values.ts";
import { chmod, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../../base/replace-file.ts";
import { reasonOf, systemErrorCode, valueOn } from "../../../base/thrown-values.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { Place } from "../world.ts";

export interface ClientProgram {
  readonly file: string;
  /** The key of the object that holds the servers. */
  readonly key: "mcpServers" | "servers";
  /** Fields of an entry besides command and arguments. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** A sentence about the user's next step. */
  readonly next: string;
}

/** Returns the programs by the names that `mcp install` takes. */
export function clientPrograms(place: Place): Readonly<Record<string, ClientProgram>> {
  const { home, workingFolder } = place;
  return {
    "claude-code": {
      file: path.join(workingFolder, ".mcp.json"),
      key: "mcpServers",
      entry: { type: "stdio" },
      next: "The program asks for your permission when it starts in this folder.",
    },
    "claude-code-user": {
      file: path.join(home, ".claude.json"),
      key: "mcpServers",
      entry: { type: "stdio" },
      next: "The program has the server in every folder from its next start on.",
    },
    "claude-desktop": {
      file: path.join(applicationFolder(place), "Claude", "claude_desktop_config.json"),
      key: "mcpServers",
      entry: {},
      next: "Quit Claude Desktop and start it again.",
    },
    cursor: {
      file: path.join(home, ".cursor", "mcp.json"),
      key: "mcpServers",
      entry: {},
      next: "Cursor lists the server in its settings, under MCP.",
    },
    vscode: {
      file: path.join(workingFolder, ".vscode", "mcp.json"),
      key: "servers",
      entry: { type: "stdio" },
      next: "VS Code shows how to start the server, above its entry in the file.",
    },
  };
}

function applicationFolder({ platform, home, appData }: Place): string {
  if (platform === "darwin") return path.join(home, "Library", "Application Support");
  if (platform === "win32") return appData ?? path.join(home, "AppData", "Roaming");
  return path.join(home, ".config");
}

/**
 * Adds or replaces the entry `palimpsest` in a configuration file. Throws ConfigError for a file that is not a JSON object, or
 * cannot be read or written; the file is unchanged then.
 */
export async function addServer(
  { file, key }: ClientProgram,
  entry: Readonly<Record<string, unknown>>,
): Promise<{ readonly isNew: boolean }> {
  const known = await readObject(file);
  const servers = known[key] ?? {};
  if (!isObject(servers)) throw unusable(file, `its "${key}" is not an object`);
  const text = `${JSON.stringify({ ...known, [key]: { ...servers, palimpsest: entry } }, null, 2)}\n`;
  try {
    const mode = await modeOf(file);
    await replaceFile(file, text);
    await chmod(file, mode);
  } catch (cause) {
    throw new ConfigError(`${file} cannot be written: ${reasonOf(cause)}.`, { cause });
  }
  return { isNew: servers["palimpsest"] === undefined };
}

/** Returns the permissions of a file, which are kept because the file may contain secrets; 0644 for a new file. */
async function modeOf(file: string): Promise<number> {
  const { mode } = await stat(file).catch(valueOn("ENOENT", { mode: 0o644 }));
  return mode & 0o777;
}

async function readObject(file: string): Promise<Readonly<Record<string, unknown>>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") return {};
    throw new ConfigError(`${file} cannot be read: ${reasonOf(cause)}.`, { cause });
  }
  if (text.trim() === "") return {};
  const value = parseObject(text);
  if (value !== undefined) return value;
  // The file may be JSON with comments. Writing the parsed value back would remove the comments.
  throw unusable(file, "it is not a JSON object without comments");
}

function unusable(file: string, reason: string): ConfigError {
  return new ConfigError(
    `${file} was not changed: ${reason}. Run the command without --write, and add its output by hand.`,
  );
}
