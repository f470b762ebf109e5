// Converts a neutral request to node-llama-cpp's chat history.
// Invariant: pure; a call and its result are in the same model item, and no content is parsed as markup.
import { storableText } from "../../../base/code-points.ts";
import type { FilePart } from "../../../base/message/file-part.ts";
import type { ToolResultPart } from "../../../base/message/message.ts";
import type { ModelRequest } from "../model.ts";
import { documentText, type WireFiles, wireFileOf } from "../wire/load-files.ts";
import { argumentsObject, storableValue, wireToolName } from "../wire/tool-json.ts";
import {
  type AssistantMessage,
  toWireMessages,
  type UserMessage,
  withStateInResults,
  withTextAfterResults,
} from "../wire/wire-messages.ts";
import { type GrammarSchema, grammarSchema } from "./grammar-schema.ts";
import type { ChatCall, ChatFunctions, ChatItem } from "./llama-package.ts";

/**
 * Returns the chat history, without thoughts. Content that varies between calls comes last, so that the model need not
 * read the rest again.
 */
export function toChatHistory(request: ModelRequest, files?: WireFiles): readonly ChatItem[] {
  const { instructions, memory } = request.system;
  const system = [instructions, memory].filter((text) => text.trim() !== "").join("\n\n");
  const items: ChatItem[] = system === "" ? [] : [{ type: "system", text: storableText(system) }];
  const messages = withTextAfterResults(toWireMessages(request.messages)).map((message) =>
    message.role === "user" ? withStateInResults(message) : message,
  );
  messages.forEach((message, index) => {
    const next = messages[index + 1];
    if (message.role === "assistant") {
      addReply(items, replyOf(message, next?.role === "user" ? next.results : [], files));
    } else {
      const text = userText(message, files);
      if (text !== "") items.push({ type: "user", text });
    }
  });
  return items;
}

type Response = Extract<ChatItem, { type: "model" }>["response"];

/** Appends a reply. If the last item is the model's, as after a tool's result, the reply continues this item. */
function addReply(items: ChatItem[], response: Response): void {
  const last = items.at(-1);
  if (last?.type === "model") items[items.length - 1] = { type: "model", response: [...last.response, ...response] };
  else items.push({ type: "model", response });
}

function replyOf({ content }: AssistantMessage, results: readonly ToolResultPart[], files?: WireFiles): Response {
  let isFirst = true;
  return content.flatMap((part): readonly (string | ChatCall)[] => {
    if (part.type === "thought") return [];
    if (part.type === "text") return [part.text];
    const startsNewChunk = isFirst;
    isFirst = false;
    const result = results.find(({ callId }) => callId === part.callId);
    return [
      {
        type: "functionCall",
        name: part.name,
        params: argumentsObject(part.arguments),
        result: result === undefined ? "(no output)" : resultText(result, files),
        startsNewChunk,
      },
    ];
  });
}

function resultText({ text, files: returned = [] }: ToolResultPart, files?: WireFiles): string {
  return [text, ...returned.map((file) => fileText(file, files))].join("\n");
}

function userText({ content }: UserMessage, files?: WireFiles): string {
  return content.map((part) => (part.type === "file" ? fileText(part, files) : part.text)).join("\n\n");
}

/** Returns a file as text, because the model reads only text: a document's text, or a note. */
function fileText(file: FilePart, files?: WireFiles): string {
  const wire = wireFileOf(files, file);
  if (wire.type === "document") return documentText(wire);
  return wire.type === "note" ? wire.text : "";
}

export function toChatFunctions({ tools }: Pick<ModelRequest, "tools">): ChatFunctions {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => {
      const schema = grammarSchema(storableValue(parameters));
      return [
        wireToolName(name),
        { description: storableText(description), ...(isEmpty(schema) ? {} : { params: schema }) },
      ];
    }),
  );
}

/**
 * Returns whether a tool has no parameters. The tool is then offered without a schema: with an empty grammar, the model
 * invents an object.
 */
function isEmpty(schema: GrammarSchema): boolean {
  if (!("properties" in schema) || typeof schema.additionalProperties === "object") return false;
  return Object.keys(schema.properties).length === 0;
}
