// The JSON of modules that agents and users share, field by field. Described in docs/cli.md.
// Invariant: fields are added, never renamed or removed; dates are ISO 8601 in UTC.
import { codePointLength } from "../../../base/code-points.ts";
import type { HeldModule, ModuleOffer, Revision, SharedModule } from "../runtime-records.ts";
import { revisionShape } from "./listing-shapes.ts";

export function sharedModuleShape(module: SharedModule): object {
  const { id, ownerId, label, description, value, limit, readOnly, access, revision, trust } = module;
  const { tags, metadata, createdAt, updatedAt } = module;
  return {
    id,
    ownerId,
    label,
    description,
    value,
    length: codePointLength(value),
    limit,
    readOnly,
    access,
    revision,
    trust,
    tags,
    metadata,
    createdAt,
    updatedAt,
  };
}

/** `recipients`: null for a module of another user. */
export function heldModuleShape(module: HeldModule): object {
  return {
    ...sharedModuleShape(module),
    holders: module.holders.map(({ agentId, agentName }) => ({ agentId, agentName })),
    recipients: module.recipients?.map(({ userId, access, state, at }) => ({ userId, access, state, at })) ?? null,
  };
}

export function moduleOfferShape({ moduleId, label, ownerId, access, at }: ModuleOffer): object {
  return { moduleId, label, ownerId, access, at };
}

/** As `memory history --json`, with the editor. */
export function moduleRevisionShape(revision: Revision): object {
  const { moduleId, editorId, agentId } = revision;
  return { moduleId, editorId, agentId, ...revisionShape(revision) };
}
