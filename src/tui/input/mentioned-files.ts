// The files that a message names by `@path`, as they go with it.
// Invariant: only what is a file is attached; other words with an `@` are words.
import { fileLabel } from "../../message/file-part.ts";
import type { ChatSession, QueuedFile } from "../chat-session.ts";
import { mentionedPaths, withoutMarks } from "./mentions.ts";

/** Throws RequestError for a file that is there and cannot be sent. Without a host there are none. */
export async function mentionedFiles(
  text: string,
  { host, runtime }: Pick<ChatSession, "host" | "runtime">,
): Promise<readonly QueuedFile[]> {
  if (host === undefined) return [];
  const found: QueuedFile[] = [];
  for (const mention of mentionedPaths(text)) {
    const path = (await host.findFile(mention)) ?? (await host.findFile(withoutMarks(mention)));
    if (path !== null) found.push({ input: { path }, label: fileLabel(await runtime.files.describe({ path })) });
  }
  return found;
}
