// Formats modules that agents and users share, as text.
import { codePointLength } from "../../../base/code-points.ts";
import type { HeldModule, ModuleHolder, ModuleRecipient, Revision } from "../runtime-records.ts";
import { alignColumns, changeLines, indent, minute, tableText, tagText, trustText } from "./listing-texts.ts";

export function modulesText(modules: readonly HeldModule[]): string {
  return tableText(
    ["LABEL", "OWNER", "ACCESS", "SIZE", "HELD BY", "SHARED WITH", "ID"],
    modules.map((module) => [
      module.label,
      module.ownerId,
      module.access,
      sizeText(module),
      holdersText(module.holders),
      recipientsText(module.recipients),
      module.id,
    ]),
    "There are no modules yet. `palimpsest modules add LABEL` creates one.",
  );
}

export function moduleText(module: HeldModule): string {
  const { id, ownerId, label, description, value, access, readOnly, revision, trust, tags } = module;
  const facts = alignColumns([
    ["label", label],
    ["id", id],
    ["owner", ownerId],
    ["access", readOnly ? `${access}, read-only for agents` : access],
    ["held by", holdersText(module.holders) || "no agent"],
    ...(module.recipients === null ? [] : [["shared with", recipientsText(module.recipients) || "nobody"]]),
    ...(description === null ? [] : [["description", description]]),
    ...(tags.length === 0 ? [] : [["tags", tagText(tags)]]),
    ["size", `${sizeText(module)} characters, revision ${revision}`],
    ["trust", trustText(trust) || trust],
  ]);
  return `${facts}\ntext\n${value === "" ? "  (empty)" : indent(value)}`;
}

/** Returns an edit as text: who made it, when, and the changed lines. */
export function editText(edit: Revision, holders: readonly ModuleHolder[]): string {
  const { at, revision, origin, toolName, editorId, agentId, undoes } = edit;
  const agent = holders.find((holder) => holder.agentId === agentId);
  const by = agent === undefined ? editorId : `${agent.agentName} of ${editorId}`;
  const how = toolName === null ? origin : `${origin}, ${toolName}`;
  const undone = undoes === null ? "" : `, reverts revision ${undoes}`;
  const outside = trustText(edit.trust, edit.external);
  const trust = outside === "" ? "" : `, ${outside}`;
  const head = `${minute(at)}  revision ${revision}, by ${by} (${how})${trust}${undone}`;
  return [head, ...changeLines(edit.before, edit.after)].join("\n");
}

function sizeText({ value, limit }: Pick<HeldModule, "value" | "limit">): string {
  return `${codePointLength(value)}/${limit}`;
}

function holdersText(holders: readonly ModuleHolder[]): string {
  return holders.map(({ agentName }) => agentName).join(", ");
}

function recipientsText(recipients: readonly ModuleRecipient[] | null): string {
  return (recipients ?? [])
    .map(({ userId, access, state }) => `${userId} (${state === "offered" ? `${access}, offered` : access})`)
    .join(", ");
}
