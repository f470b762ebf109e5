// Reads and changes passages in an agent's archive or in a source.
import type { CallResult } from "../../client/api-types.ts";
import type { Client } from "../../client/create-client.ts";

export type PassageHome = { readonly agent: string } | { readonly source: string };

export type Passage = CallResult<"GET /agents/:agent/archive">[number];

export interface PassagePageRequest {
  /** The id of a passage: only older passages are listed. */
  readonly after?: string;
  readonly limit: number;
}

export function listPassages(
  client: Client,
  home: PassageHome,
  query: PassagePageRequest,
): Promise<readonly Passage[]> {
  return "agent" in home
    ? client.call("GET /agents/:agent/archive", { params: home, query })
    : client.call("GET /sources/:source/passages", { params: home, query });
}

export async function countPassages(client: Client, home: PassageHome): Promise<number> {
  const { passages } =
    "agent" in home
      ? await client.call("GET /agents/:agent/archive/count", { params: home })
      : await client.call("GET /sources/:source", { params: home });
  return passages;
}

export function addPassage(
  client: Client,
  home: PassageHome,
  { text, tags }: { readonly text: string; readonly tags: readonly string[] },
): Promise<unknown> {
  const body = { text, tags: [...tags] };
  return "agent" in home
    ? client.call("POST /agents/:agent/archive", { params: home, body })
    : client.call("POST /sources/:source/passages", { params: home, body });
}

export function deletePassage(client: Client, home: PassageHome, passage: string): Promise<null> {
  return "agent" in home
    ? client.call("DELETE /agents/:agent/archive/:passage", { params: { ...home, passage } })
    : client.call("DELETE /sources/:source/passages/:passage", { params: { ...home, passage } });
}

export function setTags(
  client: Client,
  home: PassageHome,
  { passage, tags }: { readonly passage: string; readonly tags: readonly string[] },
): Promise<null> {
  const body = { tags: [...tags] };
  return "agent" in home
    ? client.call("PUT /agents/:agent/archive/:passage/tags", { params: { ...home, passage }, body })
    : client.call("PUT /sources/:source/passages/:passage/tags", { params: { ...home, passage }, body });
}
