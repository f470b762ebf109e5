// Searches tools by the words in their names and descriptions.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { given } from "../wire-values.ts";
import { filteredTools } from "./tool-lists.ts";

export const searchRequest = z.object({
  query: z.string().nullish(),
  limit: z.int().min(1).max(100).nullish(),
  tags: z.array(z.string()).nullish(),
  tool_types: z.array(z.string()).nullish(),
});

const defaultLimit = 50;

/** Returns the tools with most of the words first; without words, all of them. */
export async function searchTools(
  runtime: Pick<UserRuntime, "tools">,
  { query, limit, tags, tool_types }: z.output<typeof searchRequest>,
) {
  const words = (query ?? "").toLowerCase().match(/\S+/gu) ?? [];
  const all = await filteredTools(runtime, given({ tool_types }));
  return all
    .filter((tool) => !tags || tags.some((tag) => tool.tags.includes(tag)))
    .map((tool) => ({ tool, found: countIn(`${tool.name} ${tool.description}`.toLowerCase(), words) }))
    .filter(({ found }) => words.length === 0 || found > 0)
    .toSorted((one, other) => other.found - one.found)
    .slice(0, limit ?? defaultLimit)
    .map(({ tool, found }, at) => ({
      tool,
      embedded_text: null,
      fts_rank: at + 1,
      vector_rank: null,
      combined_score: words.length === 0 ? 0 : found / words.length,
    }));
}

function countIn(text: string, words: readonly string[]): number {
  return words.filter((word) => text.includes(word)).length;
}
