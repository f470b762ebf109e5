// Finds the files that a message names by `@path`, to attach them.
// Invariant: only existing files are attached; other words with an `@` are text.
import { fileLabel } from "../../message/file-part.ts";
import type { ChatSession, QueuedFile } from "../chat-session.ts";
import { mentionedPaths, withoutMarks } from "./mentions.ts";

/** Returns the files to attach; none without a host. Throws RequestError for an existing file that cannot be sent. */
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
