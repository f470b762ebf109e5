// `/file PATH`: attaches a file to the next message. Without a path: lists attached files; `--clear` removes them.
import { fileLabel } from "../../../base/message/file-part.ts";
import type { QueuedFile } from "../chat-session.ts";
import type { ViewItem } from "../view/view-item.ts";
import { command, noteOutcome, typedPath } from "./command.ts";

export const fileCommand = command({
  usage: "/file [PATH]",
  summary: "attach a file to your next message; --clear removes all",
  manual: "attaches a file to your next message; `--clear` removes attached files",
  async run({ runtime, argument, files, findFile }) {
    if (argument === "")
      return files.length === 0 ? noteOutcome("No files attached.", "/file photo.png") : { items: waitingItems(files) };
    if (argument === "--clear") return { ...noteOutcome("No files attached."), effect: { type: "files", files: [] } };
    const typed = typedPath(argument);
    const path = (await findFile?.(typed)) ?? typed;
    const label = fileLabel(await runtime.files.describe({ path }));
    const queued = [...files, { input: { path }, label }];
    return { items: waitingItems(queued), effect: { type: "files", files: queued } };
  },
});

/** Returns the notice about attached files; an empty list if there are none. */
export function waitingItems(files: readonly QueuedFile[], message = "your next message"): readonly ViewItem[] {
  if (files.length === 0) return [];
  const verb = files.length === 1 ? "goes" : "go";
  return noteOutcome(`${files.map(({ label }) => label).join(" ")} ${verb} with ${message}.`).items;
}
