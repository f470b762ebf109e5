// Declares the interfaces of a tool and of the context in which it runs.
import type { z } from "zod";
import type { Citation } from "../base/message/citation.ts";
import type { Trust } from "../base/message/message.ts";
import type { HitExplanation } from "../base/search-view/search-explanation.ts";

/** One result of a search: the text for the model, and its origin. */
export interface SearchHit {
  readonly id: string;
  readonly text: string;
  /** For a message: its author's role. */
  readonly role?: "user" | "assistant";
  readonly at: Date;
  readonly trust: Trust;
  /** The speaker's name, if the message has one. */
  readonly speaker?: string;
  /** For a message, if requested: the messages before and after it. */
  readonly neighbours?: {
    readonly before: readonly NeighbouringMessage[];
    readonly after: readonly NeighbouringMessage[];
  };
  /** For a message that a tool found: its conversation. */
  readonly conversation?: { readonly id: string; readonly title: string | null };
  /** Set for a message that is in the model's window. */
  readonly isInView?: true;
  /**
   * Set if the hit belongs to another hit above it on the page, as an `earlier` statement about the same thing or as the
   * agent's `answer`.
   */
  readonly follows?: "earlier" | "answer";
  /** The newest statement about the same thing, if it is on an earlier page. */
  readonly later?: NumberedMessage;
  /** Why the hit was found; absent for a search by date or tag only. */
  readonly explanation?: HitExplanation;
  /** For a passage: who added it. */
  readonly origin?: "model" | "user" | "api" | "import";
  readonly tags?: readonly string[];
  /** For a passage that is no longer current: the passage that replaces it. */
  readonly replacement?: Pick<SearchHit, "id" | "text" | "at" | "trust" | "origin" | "tags">;
  /** Citation of a passage from a source. */
  readonly source?: Citation;
  /** The name of the tool that returned the text. */
  readonly tool?: string;
}

/** A message before or after a hit in its thread. */
export type NeighbouringMessage = Pick<SearchHit, "id" | "text" | "speaker" | "at" | "trust"> &
  Required<Pick<SearchHit, "role">>;

/** A message at another place in the results. */
export interface NumberedMessage extends NeighbouringMessage {
  /** The message's number in the results, from 1. */
  readonly number: number;
}

export type SearchOrder = "best" | "newest" | "oldest";

/** One page of results. `total` counts the results of all pages. */
export interface SearchPage {
  readonly hits: readonly SearchHit[];
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  /** The order of the results. Default `best`. */
  readonly order?: SearchOrder;
  /** True if meaning could not be compared, so that words alone may have missed results. */
  readonly wordsAlone: boolean;
}

/** A module of core memory. Length and limit are in code points. */
export interface CoreMemoryModule {
  readonly label: string;
  readonly value: string;
  readonly length: number;
  readonly limit: number;
}

/** The modules of core memory, for editing by a tool. An edit that throws changes nothing. */
export interface CoreMemoryDraft {
  labels(): readonly string[];
  /** Returns a module. Throws ModuleNotFoundError. */
  module(label: string): CoreMemoryModule;
  read(label: string): string;
  /** Replaces a module's text. Throws ModuleNotFoundError, ModuleLimitError or ModuleReadOnlyError. */
  edit(label: string, change: (value: string) => string): void;
  /**
   * Appends a text to a module, on its own line. Throws the same errors as `edit`. If the module changes before the result is
   * committed, the line is appended to its newest text.
   */
  append(label: string, text: string): void;
}

/** Archival memory for a tool: inserts are stored with the result, but the tool's own searches find them at once. */
export interface ArchivalDraft {
  /**
   * Inserts a passage. Returns the id of the passage with this text, and at most two current passages of the agent that are
   * closest to it (none if the new passage replaces others). An external passage that would lower the trust class of the result
   * is left out. Throws ToolError for a blank or too long text and for an unknown id.
   */
  insert(
    text: string,
    options?: ArchivalInsertOptions,
  ): Promise<{ readonly id: string; readonly closest: readonly SearchHit[] }>;
  search(query: ArchivalQuery): Promise<SearchPage>;
}

export interface ArchivalInsertOptions {
  readonly tags?: readonly string[];
  /** Ids, or their last 8 characters, of the agent's own passages that are no longer current because of this one. */
  readonly replaces?: readonly string[];
}

export interface ArchivalQuery {
  /** The text to search for; absent: all passages that match the other fields, newest first. */
  readonly query?: string | undefined;
  readonly page: number;
  /** Results per page; default 5. */
  readonly pageSize?: number;
  /** Only passages of these kinds; `document`: passages of files. */
  readonly kinds?: readonly ("memory" | "fact" | "document")[];
  /** Only passages with at least one of these tags. */
  readonly tags?: readonly string[];
  /** Only passages with all of these tags. */
  readonly allTags?: readonly string[];
  /** Days, `YYYY-MM-DD`, or minutes, `YYYY-MM-DD HH:MM`, in the agent's time zone, inclusive. */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  /** Whether the hits count as accessed, which raises their rank later. Default true. */
  readonly countsAccesses?: boolean;
}

/** Search over the conversation history, for tools. */
export interface RecallSearch {
  search(query: string, page: number, options?: MessageSearchOptions): Promise<SearchPage>;
  /** Returns messages by their time; without a date, the span is open on that side. */
  searchDate(
    startDate: string | undefined,
    endDate: string | undefined,
    page: number,
    options?: MessageSearchOptions,
  ): Promise<SearchPage>;
}

export interface MessageSearchOptions extends NeighbourOptions {
  /** Days, `YYYY-MM-DD`, or minutes, `YYYY-MM-DD HH:MM`, in the agent's time zone, inclusive. For `search` only. */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  /** A speaker's name, ignoring case; `user`; or `assistant` for the agent's own messages. */
  readonly speaker?: string | undefined;
  /**
   * Default `best`; with it, `searchDate` sorts oldest first if a first day is given, and otherwise newest first. The other two
   * orders sort all results by time.
   */
  readonly order?: SearchOrder | undefined;
  /** Results per page; default 5. */
  readonly limit?: number | undefined;
}

/** A file to open: by `source/file`, or by its name alone if only one file has it. */
export interface FileToOpen {
  readonly name: string;
  /** The first line to show, from 1; default 1. */
  readonly from?: number;
  /** Number of lines; default: to the end. */
  readonly lines?: number;
}

export interface OpenedFiles {
  /** The opened files with the lines that were read; how many of these are shown depends on the window. */
  readonly opened: readonly {
    readonly name: string;
    readonly from: number;
    readonly to: number;
    readonly total: number;
  }[];
  /** The files that were closed. */
  readonly closed: readonly string[];
}

export interface LinesToFind {
  /** A regular expression, matched ignoring case. */
  readonly pattern: string;
  /** A pattern for names of files, with `*` and `?`; default: all. */
  readonly include?: string | undefined;
  /** Lines before and after each match; default none. */
  readonly around?: number | undefined;
  /** Matches to skip; default none. */
  readonly offset?: number | undefined;
}

export interface FoundLines {
  /** Number of files that were searched. */
  readonly files: number;
  /** Number of all matches; at most 20 of them are in `lines`. */
  readonly total: number;
  readonly lines: readonly FoundLine[];
}

export interface FoundLine {
  readonly file: string;
  readonly page?: number;
  /** The line's number; absent for a file without lines, such as a PDF. */
  readonly line?: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The files of attached sources, for tools. */
export interface AttachedFiles {
  /**
   * Opens files: each request of the agent shows them until they are closed. At most five files are open: opening another
   * closes the one that was opened first. Throws ToolError for an unknown or ambiguous name, and for lines that the file does
   * not have.
   */
  open(files: readonly FileToOpen[], options?: { readonly closesOthers?: boolean }): Promise<OpenedFiles>;
  /** Returns the lines that match a pattern. Throws ToolError for a pattern that is not a regular expression. */
  findLines(wanted: LinesToFind): Promise<FoundLines>;
}

/** Search over working memory, for tools. */
export interface WorkingSearch {
  /** Returns one page of the texts that are nearest to the query. */
  search(query: string): Promise<SearchPage>;
}

export interface NeighbourOptions {
  /** Number of messages before and after each hit to return with it; default none. */
  readonly neighbours?: number | undefined;
}

/** The context of a running tool. It must not be used after `run` has returned. */
export interface ToolContext {
  readonly agent: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string };
  readonly conversationId: string;
  readonly callId: string;
  /** Returns what the user wrote in this turn; "" for a turn without such a message. */
  userText(): string;
  /** A key that all retries of this call have: pass it to services that detect repeated requests. */
  readonly idempotencyKey: string;
  /** The agent's core memory. Edits are stored with the result, and are lost if `run` throws. */
  readonly core: CoreMemoryDraft;
  readonly archival: ArchivalDraft;
  readonly recall: RecallSearch;
  /** Search over working memory; finds nothing if working memory is off. */
  readonly working: WorkingSearch;
  /** The files of attached sources; finds and opens nothing if no source with files is attached. */
  readonly files: AttachedFiles;
  /** The time zone of the agent (IANA name), for dates shown to the model. */
  readonly timeZone: string;
  /** Returns the time of the runtime's clock. */
  now(): Date;
  readonly signal: AbortSignal;
}

/**
 * The result of `run`: a string is used unchanged, undefined becomes `None`, a `withFiles` result is split into text and files,
 * anything else becomes JSON.
 */
export type ToolOutput = unknown;

/** A schema of arguments: JSON Schema for the provider, and a parser that throws ToolError for invalid arguments. */
export interface ToolParameters<Arguments> {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  parse(input: unknown): Arguments;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: ToolParameters<unknown>;
  /** `memory`: the tool changes only its context's memory, so a call can be run again after a crash. */
  readonly effects: "memory" | "external";
  /** True if the result is never cut. Otherwise it is cut at the agent's limit, with a note. */
  readonly wholeResult: boolean;
  /** Maximum code points of a result. The agent's limit applies as well. */
  readonly resultLimit?: number;
  /** Whether every call waits until the user approves it. */
  readonly approval: boolean;
  /**
   * The beginning of every text that `preview` returns, which names the tool's definition. An approval of a preview with
   * another beginning does not count, because the definition has changed since.
   */
  readonly binding?: string;
  /** The definition that the tool's MCP server sent, as text. An approval shows its difference from the last approved one. */
  readonly definition?: string;
  /** Returns what an approved call would do, for the person who decides. Changes nothing. */
  preview?(args: unknown): Promise<string>;
  run(args: unknown, context: ToolContext): ToolOutput;
}

/** The schema of a tool's parameters: a zod object (zod 4, or zod 3), or a JSON Schema. */
export type ParameterSchema = z.ZodType | Zod3Schema | JsonParameterSchema;

/** A JSON Schema of an object, as other programs and MCP servers describe a tool's parameters. */
export interface JsonParameterSchema {
  readonly type: "object";
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** The part of a zod 3 schema that Palimpsest reads; zod 4 schemas do not have `_def.typeName`. */
export interface Zod3Schema {
  readonly _output: unknown;
  readonly _def: { readonly typeName?: string; readonly coerce?: boolean };
  /** The fields of an object. */
  readonly shape?: Readonly<Record<string, Zod3Schema>>;
  safeParse(
    input: unknown,
  ): { success: true; data: unknown } | { success: false; error: { issues: readonly ParameterIssue[] } };
}

export interface ParameterIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** How an agent's tools differ from the defaults. */
export interface ToolSelection {
  /** Names of default tools to leave out. */
  readonly remove?: readonly string[];
  /** Replaces the default tool of this name; the replacement may have another name. */
  readonly replace?: Readonly<Record<string, Tool>>;
  readonly add?: readonly Tool[];
}
