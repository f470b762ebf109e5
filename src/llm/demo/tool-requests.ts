// Sentences that ask for a tool: "call NAME with {json}", "use NAME: text", or the verb and noun of the tool's own name.
// Invariant: the tools of memory are called this way only when they are named in full.
import type { ToolSpecification } from "../model.ts";
import { stemOf, wordsOf } from "./words.ts";

/** A tool that was asked for. `input` is JSON text; `missing` is set instead when there is no such tool. */
export type ToolRequest =
  | { readonly kind: "call"; readonly name: string; readonly input: string }
  | { readonly kind: "missing"; readonly name: string };

const ownTools = /^(?:core_memory_|archival_memory_|conversation_search|send_message$)/;
const explicit =
  /^(?:please )?(?:call|use|run) (?:the )?(?:tool )?["'`]?([\p{L}\p{N}_-]+(?: [\p{L}\p{N}_-]+)?)["'`]?(?: tool)?(?:\s*:\s*|\s+with\s+|\s+on\s+|\s*$)([\s\S]*)$/iu;
const synonyms: Readonly<Record<string, readonly string[]>> = {
  push: ["push", "add", "append", "queue", "put", "new", "create"],
  add: ["add", "push", "append", "put", "new", "create"],
  create: ["create", "add", "new", "make"],
  pop: ["pop", "next", "take", "finish", "done", "complete"],
  next: ["next", "pop", "take"],
  list: ["list", "show", "all", "which"],
  show: ["show", "list", "see"],
  get: ["get", "show", "read", "fetch", "what", "what's", "tell"],
  read: ["read", "show", "get"],
  set: ["set", "change", "make"],
  remove: ["remove", "delete", "drop"],
  delete: ["delete", "remove", "drop"],
  roll: ["roll", "throw"],
  send: ["send"],
  clear: ["clear", "empty"],
  search: ["search", "find"],
};

/** The tool that a message asks for, or undefined if it asks for none. */
export function readToolRequest(said: string, tools: readonly ToolSpecification[]): ToolRequest | undefined {
  const callable = tools.filter((tool) => tool.name !== "send_message");
  return readExplicit(said, callable) ?? readByName(said, callable);
}

function readExplicit(said: string, tools: readonly ToolSpecification[]): ToolRequest | undefined {
  const match = explicit.exec(said);
  if (match === null) return undefined;
  const [, name = "", rest = ""] = match;
  const tool = findTool(name, tools);
  if (tool !== undefined)
    return { kind: "call", name: tool.name, input: rest.trim().startsWith("{") ? rest.trim() : inputOf(tool, rest) };
  const isMeantAsTool = /^\w+_\w+$/.test(name) || rest.trim().startsWith("{");
  return isMeantAsTool ? { kind: "missing", name } : undefined;
}

function findTool(name: string, tools: readonly ToolSpecification[]): ToolSpecification | undefined {
  const wanted = wordsOf(name.replace(/[_-]/g, " "));
  const spelled = wanted.join("_");
  const exact = tools.find(
    (tool) => tool.name.toLowerCase() === name.toLowerCase() || tool.name.toLowerCase() === spelled,
  );
  if (exact !== undefined) return exact;
  const fitting = tools.filter((tool) => {
    const own = wordsOf(`${tool.name.replaceAll("_", " ")} ${tool.description}`).map(stemOf);
    return (
      !ownTools.test(tool.name) &&
      wanted.length > 0 &&
      wanted.every((word) => word.length > 2 && own.includes(stemOf(word)))
    );
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}

function readByName(said: string, tools: readonly ToolSpecification[]): ToolRequest | undefined {
  const words = wordsOf(said);
  for (const tool of tools.filter(({ name }) => !ownTools.test(name))) {
    const parts = wordsOf(tool.name.replaceAll("_", " "));
    const verb = parts.find((part) => synonyms[part] !== undefined);
    const nouns = parts.filter((part) => part !== verb).map(stemOf);
    const noun = words.find((word) => nouns.includes(stemOf(word)));
    if (verb === undefined || noun === undefined || !synonyms[verb]!.some((word) => words.includes(word))) continue;
    const required = requiredOf(tool);
    const text = required.length === 0 ? "" : textFor(said, noun, synonyms[verb]!);
    if (required.length > 1 || (required.length === 1 && text === "")) continue;
    return { kind: "call", name: tool.name, input: inputOf(tool, text) };
  }
  return undefined;
}

/** What is left of "add a task: buy milk" or "add buy milk to my tasks" without the verb and the noun. */
function textFor(said: string, noun: string, verbs: readonly string[]): string {
  const colon = said.indexOf(":");
  if (colon !== -1) return said.slice(colon + 1).trim();
  const at = said.toLowerCase().indexOf(noun);
  const after = said
    .slice(at + noun.length)
    .replace(/^s?(?: list| queue)?(?: (?:in|for|of|to|at|about|named|called))? ?/i, "")
    .trim();
  const plain = after.replace(/[.!?]+$/, "");
  if (plain !== "") return plain;
  const before = said
    .slice(0, at)
    .replace(/ (?:to|on|onto|in|into) (?:my |the )?$/i, "")
    .trim();
  const [first = "", ...others] = before.split(" ");
  return verbs.includes(first.toLowerCase()) && !/^(?:a|an|the|my|new)$/i.test(others.join(" "))
    ? others.join(" ")
    : "";
}

function inputOf(tool: ToolSpecification, rest: string): string {
  const [first] = requiredOf(tool);
  const text = rest.trim().replace(/^["“]|["”]$/g, "");
  if (first === undefined) return "{}";
  const isNumber = (first.type === "number" || first.type === "integer") && text !== "" && !Number.isNaN(Number(text));
  return JSON.stringify({ [first.name]: isNumber ? Number(text) : text });
}

function requiredOf(tool: ToolSpecification): readonly { readonly name: string; readonly type: unknown }[] {
  const required = tool.parameters["required"];
  const properties = tool.parameters["properties"];
  const names = Array.isArray(required)
    ? required.filter((name) => typeof name === "string" && name !== "request_heartbeat")
    : [];
  return (names as readonly string[]).map((name) => ({ name, type: propertyType(properties, name) }));
}

function propertyType(properties: unknown, name: string): unknown {
  const property =
    typeof properties === "object" && properties !== null ? (properties as Record<string, unknown>)[name] : undefined;
  return typeof property === "object" && property !== null ? (property as Record<string, unknown>)["type"] : undefined;
}
