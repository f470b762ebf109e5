// Converts the result of an MCP server's tool to a result for the model, with its files.
import type { CallToolResult } from "@modelcontextprotocol/client";
import { ToolError } from "../../base/errors.ts";
import type { FileInput } from "../../base/message/file-part.ts";
import { withFiles } from "../result-with-files.ts";
import type { ToolOutput } from "../tool.ts";

export type Block = CallToolResult["content"][number];

/** Returns the result for the model. Throws ToolError for a result that the server marks as a failure. */
export function outputOf({ content, structuredContent, isError = false }: CallToolResult): ToolOutput {
  const files = content.flatMap(fileOf).map((file, at) => namedFile(file, `result-${at + 1}.${endingOf(file)}`));
  const said = content.flatMap(textsOf).join("\n");
  const text = said === "" && structuredContent !== undefined ? JSON.stringify(structuredContent) : said;
  if (isError) throw new ToolError(text === "" ? "The server reports a failure without a text." : text);
  return files.length === 0 ? text : withFiles(text, files);
}

export function textsOf(block: Block): readonly string[] {
  switch (block.type) {
    case "text":
      return [block.text];
    case "resource":
      return "text" in block.resource ? [block.resource.text] : [];
    case "resource_link":
      return [`${block.name}: ${block.uri}`];
    default:
      return [];
  }
}

export interface SentFile {
  readonly base64: string;
  readonly mediaType: string | undefined;
}

export function fileOf(block: Block): readonly SentFile[] {
  switch (block.type) {
    case "image":
    case "audio":
      return [{ base64: block.data, mediaType: block.mimeType }];
    case "resource":
      return "blob" in block.resource ? [{ base64: block.resource.blob, mediaType: block.resource.mimeType }] : [];
    default:
      return [];
  }
}

export function namedFile({ base64, mediaType }: SentFile, name: string): FileInput {
  const data = new Uint8Array(Buffer.from(base64, "base64"));
  return { data, name, ...(mediaType === undefined ? {} : { mediaType }) };
}

export function endingOf({ mediaType }: Pick<SentFile, "mediaType">): string {
  return /^[a-z]+\/([a-z0-9]{1,8})$/u.exec(mediaType ?? "")?.[1] ?? "bin";
}
