// The arguments and options of a runtime's operations on memory: core, recall and archival memory, sources, forgetting.
// Invariant: every function that has parameters has a line here, and so has every option.
import {
  anything,
  type ArgumentCheck,
  atOnce,
  callback,
  type CallChecks,
  checkThat,
  count,
  date,
  flag,
  isPlainObject,
  later,
  list,
  number,
  oneOf,
  optional,
  options,
  ordinal,
  record,
  signal,
  text,
  whole,
} from "../../../base/arguments/argument-checks.ts";
import type { DiffRange } from "../../../memory/core/module-history.ts";
import type { ForgettingOrigin } from "../../../store/port/forgetting-store.ts";
import type { SourceFileInput } from "../../../memory/source-load.ts";
import type { DropVectorsOptions, ReembedOptions } from "../../../memory/vectors/reembedding.ts";
import type { Writer } from "../../../memory/writer.ts";
import type { Trust } from "../../../base/message/message.ts";
import type {
  ArchivalAddOptions,
  ArchivalOperations,
  ArchivalOptions,
  PassageInput,
  PassageListOptions,
} from "../../archival.ts";
import type { EmbeddingOperations } from "../../embeddings.ts";
import type { ForgetOperations, ForgetRequest } from "../../forget.ts";
import type { EditOptions, MemoryOperations, UndoEditOptions } from "../../memory.ts";
import type { NodeMemoryOptions } from "../../../memory/node/node-memory.ts";
import type { NodeMemoryOperations } from "../../node-memory.ts";
import type { RecallOperations, RecallOptions, RecallSearchOptions } from "../../recall.ts";
import type { LoadOptions, OpenLines, SourceChange, SourceDetailOptions, SourceOperations } from "../../sources.ts";
import { range } from "./record-arguments.ts";

const agent = ["agent", text] as const;
const label = ["label", text] as const;
const source = ["source", text] as const;
const texts = list(text, "Pass an array, also for one.");
const limit = ["limit", optional(count)] as const;
const paging = { page: optional(whole(0, 1_000_000)), pageSize: optional(whole(1, 1_000)) };

/** The fields of all edits; the operation checks which are there. */
interface AllEdits {
  readonly append: string;
  readonly replace: string;
  readonly with: string;
  readonly rewrite: string;
}

const writer = optional(options<Writer>({ client: text, trust: oneOf<Trust>("user", "model", "external") }));

export const memoryChecks: CallChecks<MemoryOperations> = {
  show: later(agent),
  at: later(agent, label, ["revision", ordinal]),
  diff: later(agent, label, [
    "range",
    optional(options<DiffRange>({ from: optional(ordinal), to: optional(ordinal) })),
  ]),
  set: later(agent, label, ["value", text]),
  remember: later(agent, ["fact", text], ["options", optional(options<EditOptions>({ by: writer }))]),
  edit: later(
    agent,
    label,
    [
      "edit",
      options<AllEdits>({
        append: optional(text),
        replace: optional(text),
        with: optional(text),
        rewrite: optional(text),
      }),
    ],
    ["options", optional(options<EditOptions>({ by: writer }))],
  ),
  revisions: later(agent, [
    "options",
    optional(options<{ label: string; limit: number }>({ label: optional(text), limit: optional(count) })),
  ]),
  cause: later(agent, label, ["revision", ordinal]),
  undo: later(
    agent,
    ["label", optional(text)],
    ["options", optional(options<UndoEditOptions>({ revision: optional(ordinal), force: optional(flag), by: writer }))],
  ),
};

const recallOptions = { ...paging, neighbours: optional(number), includeAbandoned: optional(flag) };

export const recallChecks: CallChecks<RecallOperations> = {
  search: later(
    agent,
    ["query", text],
    [
      "options",
      optional(
        options<RecallSearchOptions>({
          ...recallOptions,
          start: optional(text),
          end: optional(text),
          weights: optional(record),
        }),
      ),
    ],
  ),
  searchDate: later(
    agent,
    ["days", options<{ start: string; end: string }>({ start: text, end: text })],
    ["options", optional(options<RecallOptions>(recallOptions))],
  ),
};

const passage = options<PassageInput>({
  text,
  tags: optional(texts),
  kind: optional(text),
  importance: optional(number),
  at: optional(date),
});

const addOptions = {
  tags: optional(texts),
  kind: optional(text),
  importance: optional(number),
  at: optional(date),
  by: writer,
};

export const archivalChecks: CallChecks<ArchivalOperations> = {
  list: later(agent, ["options", optional(options<PassageListOptions>(range))]),
  count: later(agent),
  search: later(
    agent,
    ["query", text],
    [
      "options",
      optional(
        options<ArchivalOptions>({
          ...paging,
          tags: optional(texts),
          allTags: optional(texts),
          kinds: optional(texts),
          sources: optional(texts),
          minImportance: optional(number),
          startDate: optional(text),
          endDate: optional(text),
          weights: optional(record),
          countsAccesses: optional(flag),
        }),
      ),
    ],
  ),
  add: later(agent, ["content", text], ["options", optional(options<ArchivalAddOptions>(addOptions))]),
  import: later(agent, ["passages", list(passage, "Pass an array of { content }.")]),
  export: atOnce(agent),
  setTags: later(agent, ["passageId", text], ["tags", texts]),
  delete: later(agent, ["passageId", text]),
};

const sourceFile = options<SourceFileInput>(
  {
    name: text,
    data: checkThat(
      "bytes, a text, a stream or a Blob",
      (value) => typeof value === "string" || (typeof value === "object" && value !== null && !isPlainObject(value)),
    ),
  },
  { otherNames: { path: "Pass the path itself, as a string.", content: "Use `data`.", text: "Use `data`." } },
);

const sourceInput: ArgumentCheck = (value, place) => {
  if (typeof value !== "string") sourceFile(value, place);
};

const sourceDetails = {
  description: optional(anything),
  metadata: optional(record),
  extensions: optional(record),
};

export const sourceChecks: CallChecks<SourceOperations> = {
  load: later(
    source,
    ["inputs", list(sourceInput, 'Pass an array: sources.load("work", ["docs"]).')],
    [
      "options",
      optional(
        options<LoadOptions>({
          description: optional(text),
          prune: optional(flag),
          folder: optional(text),
          onProgress: optional(callback),
          signal: optional(signal),
        }),
      ),
    ],
  ),
  show: later(source),
  files: later(source),
  removeFile: later(source, ["path", text]),
  create: later(["name", text], ["options", optional(options<SourceDetailOptions>(sourceDetails))]),
  update: later(source, ["change", options<SourceChange>({ ...sourceDetails, name: optional(text) })]),
  passages: later(source, ["options", optional(options<PassageListOptions>(range))]),
  add: later(source, ["content", text], ["options", optional(options<ArchivalAddOptions>(addOptions))]),
  setPassageTags: later(source, ["passageId", text], ["tags", texts]),
  deletePassage: later(source, ["passageId", text]),
  delete: later(source),
  attach: later(agent, source),
  detach: later(agent, source),
  attachedFiles: later(agent),
  openFiles: later(agent),
  openFile: later(
    agent,
    ["fileId", text],
    ["lines", optional(options<OpenLines>({ from: optional(number), to: optional(number) }))],
  ),
  closeFiles: later(agent, ["fileId", optional(text)]),
};

const dropping = optional(
  options<DropVectorsOptions>({
    agents: optional(texts),
    onProgress: optional(callback),
    signal: optional(signal),
  }),
);

export const embeddingChecks: CallChecks<EmbeddingOperations> = {
  list: later(["agents", optional(texts)]),
  reembed: later([
    "options",
    options<ReembedOptions>({
      to: text,
      agents: optional(texts),
      fromDimensions: optional(number),
      toDimensions: optional(number),
      batch: optional(number),
      ratePerSecond: optional(number),
      onProgress: optional(callback),
      signal: optional(signal),
    }),
  ]),
  rollback: later(["agents", optional(texts)]),
  dropOld: later(["options", dropping]),
  abandon: later(["options", dropping]),
};

const forgetRequest = options<ForgetRequest>({
  texts: optional(texts),
  messages: optional(texts),
  passages: optional(texts),
  exact: optional(flag),
});

export const forgetChecks: CallChecks<ForgetOperations> = {
  preview: later(["request", forgetRequest]),
  apply: later(
    ["request", forgetRequest],
    [
      "options",
      optional(
        options<{ origin: ForgettingOrigin }>({ origin: optional(oneOf<ForgettingOrigin>("user", "api", "model")) }),
      ),
    ],
  ),
  list: later(limit),
};

// Node memory checks the values itself, and the options by mode.
const nodeOptions = options<NodeMemoryOptions>({
  app: anything,
  conversation: anything,
  node: anything,
  model: anything,
  compressAbove: anything,
});

export const nodeMemoryChecks: CallChecks<NodeMemoryOperations> = {
  open: atOnce(["options", nodeOptions]),
  forMode: atOnce(["options", record]),
  listUnused: later(["ageMs", anything]),
  prune: later(["ageMs", anything]),
};
