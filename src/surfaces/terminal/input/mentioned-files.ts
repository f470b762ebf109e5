// Finds the files and the resources of MCP servers that a message names by `@path` and `@server:resource`, to attach them.
// Invariant: only existing files and resources of configured servers are attached; other words with an `@` are text.
import { fileLabel, type FileInput } from "../../../base/message/file-part.ts";
import type { ChatSession, QueuedFile } from "../chat-session.ts";
import { mentionedPaths, withoutMarks } from "./mentions.ts";

type Session = Pick<ChatSession, "host" | "runtime">;

/** Returns the files to attach. Throws RequestError for an existing file, or a resource, that cannot be sent. */
export async function mentionedFiles(text: string, session: Session): Promise<readonly QueuedFile[]> {
  const found: QueuedFile[] = [];
  for (const mention of mentionedPaths(text)) {
    const path = await pathOf(mention, session);
    const inputs = path === null ? await resourceOf(mention, session) : [{ path }];
    for (const input of inputs) found.push({ input, label: fileLabel(await session.runtime.files.describe(input)) });
  }
  return found;
}

async function pathOf(mention: string, { host }: Session): Promise<string | null> {
  if (host === undefined) return null;
  return (await host.findFile(mention)) ?? host.findFile(withoutMarks(mention));
}

/** Returns the resource that a mention names; empty if no server has the name before the colon. */
async function resourceOf(mention: string, { runtime }: Session): Promise<readonly FileInput[]> {
  const [, name, resource = ""] = /^([a-zA-Z0-9_-]{1,32}):(.+)$/u.exec(withoutMarks(mention)) ?? [];
  if (name === undefined) return [];
  const servers = await runtime.mcp.servers();
  const server = servers.find((one) => one.name.toLowerCase() === name.toLowerCase());
  return server === undefined ? [] : runtime.mcp.readResource(server.name, resource);
}
