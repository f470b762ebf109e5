// Searches the objects of a user for forgotten texts: files of messages, and node memories.
// Invariant: nothing is read or written inside a transaction. A changed node memory is written as a new object, which is
// deleted later unless the forgetting is applied.
import { type Redactor, forgottenMark } from "../../base/redactor.ts";
import type {
  ForgettableFile,
  ForgettableNode,
  ForgettingRequest,
  SearchedObjects,
} from "../../store/port/forgetting-store.ts";
import {
  compressedAbove,
  nodeBytes,
  nodeKeyText,
  type NodeMessage,
  readNodeBytes,
} from "../../memory/node/node-format.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { writeNodeObject } from "../node-memory/node-object.ts";
import { readObject } from "../operations/read-object.ts";

export type ObjectDeps = Pick<OperationDeps, "store" | "files" | "ids" | "clock">;

export interface ObjectSearch {
  readonly redactor: Redactor;
  readonly request: ForgettingRequest;
  /** Whether changed node memories are written; if false, they are only reported. */
  readonly writes: boolean;
}

/** The objects with forgotten texts, and the numbers of objects that could not be searched. */
export interface ObjectFindings extends SearchedObjects {
  readonly unreachable: number;
  /** Number of files that are not text. */
  readonly notText: number;
}

export async function searchObjects(deps: ObjectDeps, search: ObjectSearch): Promise<ObjectFindings> {
  const searched = await deps.store.forgetting.objects();
  const [files, nodes]: [SearchedObjects["files"][number][], SearchedObjects["nodes"][number][]] = [[], []];
  let unreachable = 0;
  for (const file of searched.files.filter(isText)) {
    const bytes = await readObject(deps, file);
    if (bytes === null) unreachable += 1;
    const excerpt = bytes === null ? null : search.redactor.excerpt(new TextDecoder().decode(bytes));
    if (excerpt !== null)
      files.push({ attachmentId: file.id, kind: "attachment", id: file.name, excerpt, effect: "removed" });
  }
  for (const node of searched.nodes) {
    const bytes = await readObject(deps, node);
    if (bytes === null) unreachable += 1;
    const found = bytes === null ? null : await searchNode(deps, { ...search, node, bytes });
    if (found !== null) nodes.push(found);
  }
  const notText = searched.files.filter((file) => !isText(file)).length;
  return { searched, files, nodes, unreachable, notText };
}

function isText({ mediaType }: ForgettableFile): boolean {
  return /^text\/|[/+](?:json|xml|yaml|toml|javascript)\b/u.test(mediaType);
}

interface NodeSearch extends ObjectSearch {
  readonly node: ForgettableNode;
  readonly bytes: Uint8Array;
}

async function searchNode(deps: ObjectDeps, search: NodeSearch): Promise<SearchedObjects["nodes"][number] | null> {
  const { node, redactor, request, bytes } = search;
  const key = nodeKeyText(node);
  const messages = await readNodeBytes(bytes, key);
  const isRemoved = ({ message_id: id }: NodeMessage) => request.messages.includes(id);
  const redacted = messages.map((message) => ({
    ...message,
    content: isRemoved(message) ? forgottenMark : redactor.redact(message.content),
  }));
  const changed = messages.find(({ content }, at) => content !== redacted[at]!.content);
  if (changed === undefined) return null;
  const excerpt = redactor.excerpt(changed.content) ?? changed.content.slice(0, 80);
  const change = await rewritten(deps, search, redacted);
  return { kind: "node-memory", id: key, excerpt, effect: "redacted", change };
}

async function rewritten(
  deps: ObjectDeps,
  { node: { revision: from, ...key }, writes }: NodeSearch,
  messages: readonly NodeMessage[],
): Promise<SearchedObjects["nodes"][number]["change"]> {
  const bytes = await nodeBytes(messages, compressedAbove);
  const written = await writeNodeObject(deps, key, { bytes, isPreview: !writes });
  const change = { ...key, ...written, messages: messages.length, bytes: bytes.byteLength };
  return { ...change, updatedAt: deps.clock.now(), from };
}
