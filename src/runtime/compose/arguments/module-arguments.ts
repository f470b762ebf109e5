// The arguments and options of the functions for modules as rows of their own, with the check of each.
// Invariant: only shapes are checked here; lengths and labels are checked where a module is stored.
import {
  type CallChecks,
  count,
  flag,
  later,
  list,
  nullable,
  number,
  oneOf,
  optional,
  options,
  record,
  text,
} from "../../../base/arguments/argument-checks.ts";
import type { ModuleAccess } from "../../../store/port/shared-module-store.ts";
import type { ModuleDefinition, ModuleListOptions, ModuleOperations, NewModuleOptions } from "../../modules.ts";
import { range } from "./record-arguments.ts";

const agent = ["agent", text] as const;
const id = ["id", text] as const;
const userId = ["userId", text] as const;

const definition = {
  label: text,
  value: optional(text),
  description: optional(nullable(text)),
  limit: optional(number),
  readOnly: optional(flag),
};
const stored = { ...definition, tags: optional(list(text)), metadata: optional(record) };
const otherNames = {
  otherNames: {
    name: "Use `label`.",
    text: "Use `value`.",
    content: "Use `value`.",
    maxLength: "Use `limit`.",
    scope: "Omit it: a module is the user's who attaches it.",
  },
};

/** A module that is given by value. */
export const moduleDefinition = options<ModuleDefinition>(definition, otherNames);

export const moduleChecks: CallChecks<ModuleOperations> = {
  create: later(["module", options<NewModuleOptions>({ ...stored, id: optional(text) }, otherNames)]),
  list: later([
    "options",
    optional(
      options<ModuleListOptions>({
        label: optional(text),
        tags: optional(list(text)),
        text: optional(text),
        agentId: optional(text),
        ...range,
      }),
    ),
  ]),
  find: later(id),
  update: later(id, [
    "change",
    options<Partial<Omit<NewModuleOptions, "id">>>({ ...stored, label: optional(text) }, otherNames),
  ]),
  delete: later(id),
  ofAgents: later(["agentIds", list(text)]),
  holders: later(id),
  attach: later(agent, id),
  detach: later(agent, id),
  share: later(id, userId, ["access", oneOf<ModuleAccess>("read", "append", "write")]),
  unshare: later(id, userId),
  recipients: later(id),
  accept: later(id),
  decline: later(id),
  revisions: later(id, ["limit", optional(count)]),
};
