// Loads tools from a folder of modules that export tools.
// Invariant: either all files are loaded, or none is used and the error lists the faults of each file.
import { appendAll } from "../../base/lists.ts";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describeKind } from "../../base/arguments/argument-checks.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { ConfigError } from "../../base/errors.ts";
import { defineTool, type ToolDefinition, isTool } from "../../tool/define-tool.ts";
import type { ParameterSchema, Tool, ToolSelection } from "../../tool/tool.ts";

/** Returns the selection with the tools of the folder added. Throws ConfigError if a file or a tool is invalid. */
export async function withToolsOf(folder: string, selection: ToolSelection): Promise<ToolSelection> {
  const loaded = await loadTools(folder, selection.add ?? []);
  return { ...selection, add: [...(selection.add ?? []), ...loaded] };
}

interface FoundTool {
  readonly tool: Tool;
  /** The file and the export that define a tool, as error messages name them. */
  readonly place: string;
}

async function loadTools(given: string, known: readonly Tool[]): Promise<readonly Tool[]> {
  const folder = given.startsWith("~/") ? path.join(homedir(), given.slice(2)) : path.resolve(given);
  const files = await toolFiles(folder);
  if (files.length === 0) {
    throw invalid(`${folder} has no file that ends in .js, .mjs or .ts. Put a module with a tool into the folder`);
  }
  const found: FoundTool[] = known.map((tool) => ({ tool, place: "`tools` of the program" }));
  const faults: string[] = [];
  for (const file of files) {
    const { tools, problems } = await readModule(folder, file);
    appendAll(faults, problems);
    for (const one of tools) {
      const same = found.find(({ tool }) => tool.name === one.tool.name);
      if (same === undefined) found.push(one);
      else faults.push(`${one.place}: expected a new name, got "${one.tool.name}", the name of ${same.place}`);
    }
  }
  if (faults.length > 0) throw invalid(`${folder} has faults (${faults.join("; ")})`);
  return found.slice(known.length).map(({ tool }) => tool);
}

/** Returns the files with tools: not hidden files, and not files named `_…`, which contain shared code. */
async function toolFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new ConfigError(
      `Expected \`toolsFolder\` to be a folder that can be read, got ${folder}: ${messageOf(error)}.`,
      {
        cause: error,
        field: "toolsFolder",
      },
    );
  });
  return names.filter((name) => /^[^._].*\.(?:js|mjs|ts)$/u.test(name) && !name.endsWith(".d.ts")).toSorted();
}

interface ReadModule {
  readonly tools: readonly FoundTool[];
  readonly problems: readonly string[];
}

async function readModule(folder: string, file: string): Promise<ReadModule> {
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = (await import(pathToFileURL(path.join(folder, file)).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    return { tools: [], problems: [`${file} cannot be loaded: ${loadingFault(file, error)}`] };
  }
  // If there is a default export, the other exports are ignored: they may be for tests of the module.
  const names = "default" in exported ? ["default"] : Object.keys(exported);
  if (names.length === 0) return { tools: [], problems: [`${file}: expected an export of a tool, got none`] };
  const tools: FoundTool[] = [];
  const problems: string[] = [];
  for (const name of names) {
    const place = `${file}, export "${name}"`;
    try {
      tools.push({ tool: toTool(exported[name]), place });
    } catch (error) {
      problems.push(`${place}: ${messageOf(error)}`);
    }
  }
  return { tools, problems };
}

function toTool(value: unknown): Tool {
  if (isTool(value)) return value;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return defineTool(value as ToolDefinition<ParameterSchema>);
  }
  throw new ConfigError(
    `expected a tool of defineTool, or an object { name, description, parameters, run }, got ${describeKind(value)}`,
  );
}

function loadingFault(file: string, error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  if (code !== "ERR_UNKNOWN_FILE_EXTENSION" || !file.endsWith(".ts")) return messageOf(error);
  return `Node ${process.versions.node} does not run TypeScript. Use Node 22.18 or later, or JavaScript`;
}

function invalid(problem: string): ConfigError {
  return new ConfigError(`Expected \`toolsFolder\` to contain modules that export tools: ${problem}.`, {
    field: "toolsFolder",
  });
}
