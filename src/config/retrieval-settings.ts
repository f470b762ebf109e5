// The settings of what is looked up for a turn: working memory and the query planner. Off unless they are switched on.
// Invariant: the three tables have the same keys, those of RetrievalConfig; the compiler compares them.
import { z } from "zod";
import { atLeast, type Setting, wholeNumber } from "./setting-forms.ts";

export interface RetrievalConfig {
  /**
   * Whether tool results and the user's messages are kept in a bounded memory of the process, searched with each input.
   * `refilled`: what the store has of the conversation is in it again after a restart.
   */
  readonly workingMemory: "off" | "process" | "refilled";
  /** Millions of bytes, for each agent. */
  readonly workingMemoryMegabytes: number;
  /** Minutes between two clean-ups. */
  readonly workingMemoryMinutes: number;
  /** `on`: archival memory is searched with each input, too. */
  readonly queryPlanner: "off" | "on";
  /** Tokens that what was looked up may have in a request. */
  readonly plannerTokens: number;
}

export const retrievalDefaults: RetrievalConfig = {
  workingMemory: "off",
  workingMemoryMegabytes: 10,
  workingMemoryMinutes: 5,
  queryPlanner: "off",
  plannerTokens: 4000,
};

export const retrievalShape = {
  workingMemory: z.enum(["off", "process", "refilled"]),
  workingMemoryMegabytes: z.number().min(1).max(10_000),
  workingMemoryMinutes: z.number().gt(0).max(1440),
  queryPlanner: z.enum(["off", "on"]),
  plannerTokens: wholeNumber(1),
} satisfies { readonly [Key in keyof RetrievalConfig]: z.ZodType<RetrievalConfig[Key]> };

export const retrievalSettings: { readonly [Key in keyof RetrievalConfig]: Setting } = {
  workingMemory: { expected: '"off", "process" or "refilled"', flag: "working-memory" },
  workingMemoryMegabytes: { expected: "a number from 1 to 10000, in megabytes" },
  workingMemoryMinutes: { expected: "a number of minutes over 0 and at most 1440" },
  queryPlanner: { expected: '"off" or "on"', flag: "query-planner" },
  plannerTokens: { expected: atLeast(1), flag: "planner-tokens" },
};
