// Where a passage is, an agent's archive or a source, and what can be done with it there.
import type { CallResult } from "../../client/api-types.ts";
import type { Client } from "../../client/create-client.ts";

export type PassageHome = { readonly agent: string } | { readonly source: string };

export type PassagePage = CallResult<"GET /agents/:agent/archive">;
export type Passage = PassagePage["rows"][number];

export interface PassagePageRequest {
  /** The id of a passage: only older ones. */
  readonly after?: string;
  readonly limit: number;
}

export function listPassages(client: Client, home: PassageHome, query: PassagePageRequest): Promise<PassagePage> {
  return "agent" in home
    ? client.call("GET /agents/:agent/archive", { params: home, query })
    : client.call("GET /sources/:source/passages", { params: home, query });
}

export function addPassage(
  client: Client,
  home: PassageHome,
  { content, tags }: { readonly content: string; readonly tags: readonly string[] },
): Promise<unknown> {
  const body = { content, tags: [...tags] };
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
