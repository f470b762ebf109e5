// Reads memories of mem0: the results of its functions and of its platform, with user, times, categories and metadata.
// Invariant: pure; data for which a passage has no field becomes a tag; a value that is too long for a tag is left out.
import type { JsonObject } from "../../base/json-values.ts";
import { codePointLength, storableText } from "../../base/code-points.ts";
import type { ExportForm, SourceMemory } from "../export-form.ts";
import { idAt, jsonText, listAt, objectAt, textAt, timeAt } from "../json-fields.ts";
import type { Remarks } from "../remarks.ts";

export const mem0Export: ExportForm = {
  program: "mem0",
  holds: "memories",
  files: /^(?!user|project|conversation).*\.jsonl?$/iu,
  fileName: "memories.json",
  holders: ["results", "memories"],
  // Items with `data` and `hash` come from a vector store to which mem0 has written.
  recognizes: (item) =>
    typeof item["memory"] === "string" || (typeof item["data"] === "string" && typeof item["hash"] === "string"),
  read(item, remarks) {
    const memory = memoryOf(item, remarks);
    return memory.text.trim() === "" ? { leftOut: "memories without a text" } : { memory };
  },
};

function memoryOf(item: JsonObject, remarks: Remarks): SourceMemory {
  const text = textAt(item, "memory") === "" ? textAt(item, "data") : textAt(item, "memory");
  // The time when the memory was created; if this is unknown, the time when it was last changed.
  const at = timeAt(item, "created_at") ?? timeAt(item, "updated_at");
  return { key: idAt(item, "id"), text, tags: tagsOf(item, remarks), at };
}

/** The fields that say whom a memory is about, each with the name of its tag. */
const owners = [
  ["user", "user_id"],
  ["agent", "agent_id"],
  ["app", "app_id"],
  ["run", "run_id"],
  ["actor", "actor_id"],
  ["role", "role"],
] as const;

const maxTagLength = 200;
const maxTags = 100;

function tagsOf(item: JsonObject, remarks: Remarks): readonly string[] {
  const found = [
    ...owners.flatMap(([name, key]) => {
      const id = idAt(item, key);
      return id === null ? [] : [`${name}:${id}`];
    }),
    ...listAt(item, "categories").filter((category): category is string => typeof category === "string"),
    ...Object.entries(objectAt(item, "metadata")).flatMap(([key, value]) => metadataTags(key, value)),
  ];
  const tags = [...new Set(found.map((tag) => storableText(tag).trim()))].filter((tag) => {
    const isShort = codePointLength(tag) <= maxTagLength;
    if (!isShort) remarks.leaveOut("values of metadata that are too long for a tag");
    return isShort && tag !== "";
  });
  for (const _tag of tags.slice(maxTags)) remarks.leaveOut("tags of a memory beyond its first 100");
  return tags.slice(0, maxTags);
}

function metadataTags(key: string, value: unknown): readonly string[] {
  if (value === null || value === undefined || value === "") return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => metadataTags(key, one));
  const text = typeof value === "string" ? value : jsonText(value).replaceAll(/\s+/gu, " ");
  return [`${key}:${text}`];
}
