// Converts an MCP server's definition of a tool to a bounded form, and computes the hash that approvals are bound to.
// Invariant: the hash covers the server and everything that the server states about the tool, so it changes with either.
import { createHash } from "node:crypto";
import type { Tool as ServerTool } from "@modelcontextprotocol/client";
import { escapeReservedTags } from "../../base/message/reserved-tags.ts";
import type { Config } from "../../config/settings.ts";
import { bounds } from "./bounds.ts";

export type McpServerOptions = Config["mcpServers"][string];

export interface ToolDefinition {
  /** The name for the model: the server and the tool, at most 64 characters. */
  readonly name: string;
  /** The tool's name on the server. */
  readonly toolName: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly hash: string;
  /** Everything that the server states about the tool, as text for people. */
  readonly definition: string;
}

export interface ReadDefinitions {
  readonly definitions: readonly ToolDefinition[];
  /** The reasons for which tools were left out. */
  readonly problems: readonly string[];
}

/** Returns the tools that the options allow. A tool that no model accepts is left out, and the reason is among the problems. */
export function readDefinitions(
  server: string,
  options: McpServerOptions,
  tools: readonly ServerTool[],
): ReadDefinitions {
  const { allow, deny = [] } = options;
  const allowed = tools.filter(({ name }) => (allow?.includes(name) ?? true) && !deny.includes(name));
  const definitions: ToolDefinition[] = [];
  const problems: string[] = [];
  for (const tool of allowed.slice(0, bounds.tools)) {
    const read = definitionOf(server, options, tool);
    const problem = problemOf(read, definitions);
    if (problem === null) definitions.push(read);
    else problems.push(`${JSON.stringify(tool.name.slice(0, 64))} is left out, because ${problem}`);
  }
  if (allowed.length > bounds.tools) problems.push(`it has ${allowed.length} tools, but only ${bounds.tools} are used`);
  return { definitions, problems };
}

function definitionOf(server: string, options: McpServerOptions, tool: ServerTool): ToolDefinition {
  const { command, args, cwd, url } = options;
  const { name: toolName, title, description, inputSchema, outputSchema, annotations } = tool;
  const said = { toolName, title, description, inputSchema, outputSchema, annotations };
  const hash = hashOf({ server: { command, args, cwd, url }, said });
  const given = (description ?? title ?? "").slice(0, bounds.description).toWellFormed();
  return {
    name: offeredName(`${server}__${toolName}`),
    toolName,
    description: escapeReservedTags(given.trim() === "" ? `The tool ${toolName} of ${server}.` : given),
    parameters: inputSchema,
    hash,
    definition: textOf(tool),
  };
}

/** Returns everything that the server states about a tool, in lines. */
function textOf({ name, title, description, inputSchema, outputSchema, annotations }: ServerTool): string {
  const parts = [
    name,
    ...(title === undefined ? [] : [`Title: ${title}`]),
    ...(description === undefined ? [] : [description]),
    `Parameters: ${linesOf(inputSchema)}`,
    ...(outputSchema === undefined ? [] : [`Result: ${linesOf(outputSchema)}`]),
    ...(annotations === undefined ? [] : [`Claims: ${linesOf(annotations)}`]),
  ];
  const text = parts.join("\n").toWellFormed();
  const more = text.length - bounds.definition;
  return more <= 0 ? text : `${text.slice(0, bounds.definition).toWellFormed()}\n… (${more} more characters)`;
}

function linesOf(value: unknown): string {
  return JSON.stringify(value, sorted, 2);
}

function problemOf({ name, parameters }: ToolDefinition, before: readonly ToolDefinition[]): string | null {
  if (before.some((other) => other.name === name)) return `another tool is already named ${name}`;
  if (parameters["type"] !== "object") return "its parameters are not an object";
  const length = JSON.stringify(parameters).length;
  return length > bounds.schema ? `its parameters have ${length} characters, at most ${bounds.schema} are used` : null;
}

function offeredName(name: string): string {
  const valid = name.replaceAll(/[^a-zA-Z0-9_-]/gu, "_");
  return valid.length <= 64 ? valid : `${valid.slice(0, 55)}_${hashOf(name).slice(0, 8)}`;
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, sorted)).digest("hex").slice(0, 32);
}

/** Sorts the keys of objects in JSON, because their order has no meaning. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries);
}
