// The arguments and options of the functions for stored tools, with the check of each.
// Invariant: only shapes are checked here; lengths and names are checked where a tool is stored.
import {
  type CallChecks,
  flag,
  later,
  list,
  nullable,
  number,
  optional,
  options,
  record,
  text,
} from "../../../base/arguments/argument-checks.ts";
import type {
  NewStoredTool,
  StoredToolListOptions,
  StoredToolOperations,
  StoredToolOptions,
} from "../../stored-tools/contract.ts";
import { range } from "./record-arguments.ts";

const tool = ["tool", text] as const;
const agent = ["agent", text] as const;

const stored = {
  name: optional(text),
  description: optional(text),
  parameters: optional(record),
  source: optional(nullable(text)),
  resultLimit: optional(nullable(number)),
  requiresApproval: optional(flag),
  tags: optional(list(text)),
  metadata: optional(record),
};

const forSource = "Use `source` for Python source code; a function of your program goes in `tools` of createRuntime.";
const otherNames = {
  otherNames: {
    schema: "Use `parameters`.",
    inputSchema: "Use `parameters`.",
    approval: "Use `requiresApproval`.",
    code: forSource,
    run: forSource,
    kind: "Omit it: a tool with a `source` is run here, any other one by the caller.",
  },
};

const created = { ...stored, id: optional(text) };

export const storedToolChecks: CallChecks<StoredToolOperations> = {
  create: later(["tool", options<NewStoredTool>(created, otherNames)]),
  upsert: later(["tool", options<NewStoredTool>(created, otherNames)]),
  find: later(tool),
  list: later([
    "options",
    optional(
      options<StoredToolListOptions>({
        name: optional(text),
        tags: optional(list(text)),
        text: optional(text),
        serverId: optional(text),
        agentId: optional(text),
        ...range,
      }),
    ),
  ]),
  update: later(tool, ["change", options<StoredToolOptions>(stored, otherNames)]),
  delete: later(tool),
  attach: later(agent, tool),
  detach: later(agent, tool),
  builtIn: later(["agent", optional(text)]),
  ofAgent: later(agent),
  ofAgents: later(["agents", list(record)]),
  setApproval: later(agent, tool, ["requiresApproval", nullable(flag)]),
};
