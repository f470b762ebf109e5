// Declares the common form into which exports of other programs are read: conversations as trees, and memories.
// Invariant: types only; texts are as in the file, and ids are those of the other program.
import type { JsonObject } from "../base/json-values.ts";
import type { Remarks } from "./remarks.ts";

export type ExportFormName = "chatgpt" | "claude" | "mem0" | "folder";

/** A part of a message in another program, which becomes a message here. */
export interface MessageDraft {
  readonly role: "user" | "assistant";
  /** An event is in the history of the conversation; searches of recall do not find it. */
  readonly kind: "message" | "event";
  readonly text: string;
  readonly speaker?: string;
}

export interface SourceMessage {
  /** Key of the message, unique in the conversation. */
  readonly key: string;
  /** The key of the parent message. Null or an unknown key: this message begins a thread. */
  readonly parentKey: string | null;
  /** Time of the message in milliseconds since 1970; null if the file has none. */
  readonly at: number | null;
  /** The messages that this message becomes, in order. If empty, the children of this message become children of its parent. */
  readonly drafts: readonly MessageDraft[];
  /** Visible thoughts of the model, which belong to its next message. */
  readonly thoughts: readonly string[];
}

export interface SourceConversation {
  readonly key: string;
  readonly title: string;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  /** The message at the end of the thread that the other program showed; null: the newest message. */
  readonly currentKey: string | null;
  readonly messages: readonly SourceMessage[];
}

export interface SourceMemory {
  /** The memory's id; null if the file has none. */
  readonly key: string | null;
  /** The path of a memory that is a file. */
  readonly path?: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly at: number | null;
}

export type SourceItem =
  | { readonly conversation: SourceConversation }
  | { readonly memory: SourceMemory }
  /** The kind of an item that cannot be imported, as a plural noun. */
  | { readonly leftOut: string };

export interface ExportForm {
  readonly program: string;
  /** The kind of items in the program's files. */
  readonly holds: "conversations" | "memories";
  /** Matches the names of the files to read in a folder or a ZIP. They are read in the order of their names. */
  readonly files: RegExp;
  /** The usual name of such a file. */
  readonly fileName: string;
  /** If a file is an object instead of a list: the keys under which the list of items may be. */
  readonly holders: readonly string[];
  recognizes(item: JsonObject): boolean;
  read(item: JsonObject, remarks: Remarks): SourceItem;
}
