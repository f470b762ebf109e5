// What the chat asks of the machine that it runs on, beyond its screen and its keys.
// Invariant: types only; the command line makes one. A chat without a host works, and says what it cannot do.

import type { FolderEntry } from "./input/completion.ts";

/** What became of a text in an editor: `failed` says why, and the text is as it was. */
export type EditEnd =
  | { readonly type: "edited"; readonly text: string }
  | { readonly type: "failed"; readonly reason: string };

/** `suspend` and `edit` are called while the terminal is theirs: the chat draws nothing and reads no key. */
export interface ChatHost {
  /** Stops this process, as the shell's Ctrl+Z does, until it is continued. */
  suspend(): Promise<void>;
  /** Hands a text to the user's editor and waits for its end. */
  edit(text: string): Promise<EditEnd>;
  /** What was sent in chats before this one, oldest first. */
  readonly inputs: readonly string[];
  /** Keeps an input for the chats that come. Returns why it could not. */
  keepInput(input: string): Promise<string | null>;
  /** What is in a folder, by name: its beginning where there is very much. Nothing for what is no folder. */
  listFolder(folder: string): Promise<readonly FolderEntry[]>;
  /** The whole path of a file that is there; null for anything else. */
  findFile(path: string): Promise<string | null>;
}
