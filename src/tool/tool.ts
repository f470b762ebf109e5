// What a tool is and what it may touch while it runs.
// Invariant: a tool reaches memory only through its context, whose changes are a draft until its result is committed.
import type { z } from "zod";
import type { Citation } from "../message/citation.ts";
import type { Trust } from "../message/message.ts";
import type { HitExplanation } from "../search-view/search-explanation.ts";

/** One result of a search: what is shown to the model, and where it came from. */
export interface SearchHit {
  readonly id: string;
  readonly text: string;
  /** Who said it, for messages. */
  readonly role?: "user" | "assistant";
  readonly at: Date;
  readonly trust: Trust;
  /** The name of who said it, where that is known: of messages that were said elsewhere. */
  readonly speaker?: string;
  /** What was said around it, of messages, when it was asked for. */
  readonly neighbours?: {
    readonly before: readonly NeighbouringMessage[];
    readonly after: readonly NeighbouringMessage[];
  };
  /** Why it was found, where it was looked for by text. */
  readonly explanation?: HitExplanation;
  /** Who added it, for passages. */
  readonly origin?: "model" | "user" | "api" | "import";
  readonly tags?: readonly string[];
  /** Where a passage of a source stands, so that an answer can cite it. */
  readonly source?: Citation;
  /** The name of the tool that returned it. */
  readonly tool?: string;
}

/** A message next to a hit, in the order in which they were said. */
export type NeighbouringMessage = Pick<SearchHit, "id" | "text" | "speaker" | "at" | "trust"> &
  Required<Pick<SearchHit, "role">>;

/** One page of results. `total` counts all results, not those of the page. */
export interface SearchPage {
  readonly hits: readonly SearchHit[];
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  /** Search by meaning was asked for and not available: there may be more than words alone have found. */
  readonly wordsAlone?: true;
}

/** The sections of core memory as a tool may edit them. An edit that throws has changed nothing. */
export interface CoreMemoryDraft {
  labels(): readonly string[];
  read(label: string): string;
  /** Replaces a section's text. Throws ModuleNotFoundError, ModuleLimitError or ModuleReadOnlyError. */
  edit(label: string, change: (value: string) => string): void;
  /**
   * Adds a line at the end of a section's text. Throws as `edit`. When the section changes before the result is committed, the
   * line is added to its newest text.
   */
  append(label: string, line: string): void;
}

/** Archival memory as a tool may use it: inserts are kept back until the result is committed, but searches see them. */
export interface ArchivalDraft {
  insert(content: string, options?: { readonly tags?: readonly string[] }): Promise<void>;
  search(query: ArchivalQuery): Promise<SearchPage>;
}

export interface ArchivalQuery {
  readonly query: string;
  readonly page: number;
  /** Only what is filed under at least one of them. */
  readonly tags?: readonly string[];
  /** Only what is filed under all of them. */
  readonly allTags?: readonly string[];
  /** Calendar days, `YYYY-MM-DD`, in the agent's time zone; both included. */
  readonly startDate?: string;
  readonly endDate?: string;
}

/** The conversation history as a tool may search it. */
export interface RecallSearch {
  search(query: string, page: number, options?: NeighbourOptions): Promise<SearchPage>;
  /** Calendar days, `YYYY-MM-DD`, in the agent's time zone; both included. */
  searchDate(startDate: string, endDate: string, page: number, options?: NeighbourOptions): Promise<SearchPage>;
}

/** What was seen lately, as a tool may search it. */
export interface WorkingSearch {
  /** The nearest of the user's; one page. */
  search(query: string): Promise<SearchPage>;
}

export interface NeighbourOptions {
  /** How many messages before and after each hit come with it; default none. */
  readonly neighbours?: number;
}

/** What a running tool is handed. It is the tool's own: a context must not be used after `run` has returned. */
export interface ToolContext {
  readonly agent: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string };
  readonly conversationId: string;
  readonly callId: string;
  /** The same for this call whatever happens: hand it to services that can tell a repeated request from a new one. */
  readonly idempotencyKey: string;
  readonly core: CoreMemoryDraft;
  readonly archival: ArchivalDraft;
  readonly recall: RecallSearch;
  /** Finds nothing where working memory is off. */
  readonly working: WorkingSearch;
  /** The time zone of the agent (IANA name), for dates shown to the model. */
  readonly timeZone: string;
  now(): Date;
  readonly signal: AbortSignal;
}

/** What `run` may return: a string as it is, nothing as `None`, what `withFiles` made, anything else as JSON. */
export type ToolOutput = unknown;

/** Arguments as a schema: JSON schema for the provider, and a parser that throws ToolError on what does not fit. */
export interface ToolParameters<Arguments> {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  parse(input: unknown): Arguments;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: ToolParameters<unknown>;
  /** `memory`: touches nothing but its context's memory, so that it can be run again after a crash. */
  readonly effects: "memory" | "external";
  /** The result is shown whole, however long. Otherwise it is cut at the agent's limit, and says so. */
  readonly wholeResult: boolean;
  /** Every call waits until the user has approved it. */
  readonly approval: boolean;
  run(args: unknown, context: ToolContext): ToolOutput;
}

/** A zod schema as a tool's author may write it: of zod 4, or of zod 3 (`zod/v3`). */
export type ParameterSchema = z.ZodType | Zod3Schema;

/** The part of a zod 3 schema that is relied on; zod 4 schemas do not have `_def.typeName`. */
export interface Zod3Schema {
  readonly _output: unknown;
  readonly _def: { readonly typeName?: string };
  safeParse(
    input: unknown,
  ): { success: true; data: unknown } | { success: false; error: { issues: readonly ParameterIssue[] } };
}

export interface ParameterIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}
