// Imports an export of another program: reads its items one by one, and stores them in batches.
// Invariant: at most two batches are in memory, whatever the size of the file. Each batch is one transaction; batches are
// stored one after the other, in the order of the file, and stay stored if a later part of the file is damaged.
import { storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type { ImportOptions, ImportReport, ImportSource } from "./contract.ts";
import { conversationTree, type ConversationTree } from "../../transfer/conversation-tree.ts";
import { derivedId } from "../../transfer/derived-id.ts";
import type { ExportForm, SourceItem, SourceMemory } from "../../transfer/export-form.ts";
import { exportForms, guessedForm } from "../../transfer/export-forms.ts";
import { isObject, type JsonObject } from "../../base/json-values.ts";
import { skillOfLabel } from "../../base/module-label.ts";
import { skillFault, skillOfPath } from "../../memory/core/skill.ts";
import { isPath, passageText, tagsOfFile } from "../../memory/as-files/memory-paths.ts";
import { passageLengthFault } from "../../store/port/passage-store.ts";
import { outsidePassage } from "../../transfer/outside-passage.ts";
import { createRemarks, type Remarks } from "../../transfer/remarks.ts";
import { findAgent } from "../agents/find-agent.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { evictPassages } from "../retention/retention-operations.ts";
import { putSkill, skillsOf } from "../skills/skill-operations.ts";
import { withStored } from "../agents/transfer/with-stored.ts";
import type { AddedTexts, TransferredConversation, TransferredPassage } from "../../store/port/transfer-store.ts";
import { countedConversation, counterFor } from "../agents/transfer/prepare-agent.ts";

export interface ReadItemsOptions extends Pick<ExportForm, "files" | "fileName" | "holders"> {
  readonly onBytes: (read: number, total: number | null) => void;
  readonly onOtherFile: (name: string) => void;
  readonly signal?: AbortSignal;
}

export interface ImportExportDeps
  extends Pick<OperationDeps, "store" | "defaults" | "models" | "backFill" | "ids" | "clock" | "log"> {
  /** Yields the items of a file. Throws RequestError `import_invalid` for a damaged file, ConfigError for an unreadable one. */
  readonly readItems: (source: ImportSource, options: ReadItemsOptions) => AsyncIterable<unknown>;
}

/**
 * Imports an export and returns a report. Throws RequestError `agent_not_found` and `import_invalid`, ConfigError, and the
 * signal's reason.
 */
export async function importExport(
  deps: ImportExportDeps,
  name: string,
  { source, ...options }: ImportOptions & { readonly source: ImportSource },
): Promise<ImportReport> {
  const agent = await findAgent(deps, name);
  const remarks = createRemarks();
  const batches = createTextBatches(deps, agent, options);
  const skills: SourceMemory[] = [];
  const reading = { agent, form: exportForms[options.form], formName: options.form, remarks, batches, skills };
  const seen: SeenItems = { number: 0, known: 0, keys: new Set() };
  try {
    for await (const value of deps.readItems(source, readOptions(reading, options))) {
      options.signal?.throwIfAborted();
      await takeItem(deps, { ...reading, value }, seen);
    }
    if (seen.number > 0 && seen.known === 0)
      throw new RequestError(
        "import_invalid",
        `Cannot import: the file contains no ${reading.form.holds} of ${reading.form.program}.`,
      );
  } catch (error) {
    await batches.end();
    if (options.dryRun !== true) deps.backFill.wake();
    throw withStored(error, batches.added(), options);
  }
  await batches.end();
  for (const skill of skills) await takeSkill(deps, reading, skill, options.dryRun === true);
  if (options.dryRun !== true) {
    deps.backFill.wake();
    if (reading.form.holds === "memories") await evictPassages(deps, agent);
  }
  return { found: batches.found(), added: batches.added(), leftOut: remarks.leftOut(), notes: remarks.notes() };
}

interface Reading {
  readonly agent: AgentRecord;
  readonly form: ExportForm;
  readonly formName: string;
  readonly remarks: Remarks;
  readonly batches: TextBatches;
  /** Files of skills, which are stored after all other items. */
  readonly skills: SourceMemory[];
}

/** Stores a skill, unless the agent has a skill of that name. */
async function takeSkill(
  deps: ImportExportDeps,
  { agent, remarks }: Pick<Reading, "agent" | "remarks">,
  { path = "", text }: SourceMemory,
  dryRun: boolean,
): Promise<void> {
  const name = skillOfLabel(skillOfPath(path) ?? "") ?? "";
  const known = (await skillsOf(deps, agent.id)).find((skill) => skill.name === name);
  if (skillFault(name, text) !== null)
    return remarks.leaveOut("files of skills that cannot be used: `skills add` says why");
  if (known !== undefined && known.text !== text)
    return remarks.leaveOut("skills that the agent has with another text");
  remarks.note("skills, which are stored outside of the archive");
  if (!dryRun && known === undefined) await putSkill(deps, agent.id, { name, text, origin: "import" });
}

function readOptions({ form, remarks, batches }: Reading, { signal }: ImportOptions): ReadItemsOptions {
  const { files, fileName, holders } = form;
  return {
    files,
    fileName,
    holders,
    onBytes: batches.onBytes,
    onOtherFile: () => remarks.leaveOut("other files of the export"),
    ...(signal === undefined ? {} : { signal }),
  };
}

interface SeenItems {
  number: number;
  /** Number of items that `form` recognizes. */
  known: number;
  /** Keys of conversations and ids of memories that occurred so far. */
  readonly keys: Set<string>;
}

async function takeItem(
  deps: ImportExportDeps,
  reading: Reading & { readonly value: unknown },
  seen: SeenItems,
): Promise<void> {
  const { form, remarks, value } = reading;
  seen.number += 1;
  if (!isObject(value) || !form.recognizes(value)) {
    if (seen.known === 0 && isObject(value)) refuseOther(value, form);
    remarks.leaveOut(`items that are not ${form.holds} of ${form.program}`);
    return;
  }
  seen.known += 1;
  await takeKnown(deps, { ...reading, read: form.read(value, remarks) }, seen);
}

function refuseOther(value: JsonObject, { program, holds }: ExportForm): void {
  const other = guessedForm(value);
  if (other === null) return;
  throw new RequestError("import_invalid", `Cannot import: expected ${holds} of ${program}, got ${other}.`);
}

async function takeKnown(
  { clock }: ImportExportDeps,
  { agent, formName, remarks, batches, skills, read }: Reading & { readonly read: SourceItem },
  { keys }: SeenItems,
): Promise<void> {
  const now = clock.now().getTime();
  const idOf = (...words: readonly string[]): string => derivedId("import", formName, agent.id, ...words);
  if ("leftOut" in read) {
    remarks.leaveOut(read.leftOut);
  } else if ("memory" in read) {
    if (skillOfPath(read.memory.path ?? "") !== null) return void skills.push(read.memory);
    const { id, passage } = passageOf(read.memory, { idOf, now, remarks });
    if (read.memory.path !== undefined && !isPath(read.memory.path))
      remarks.leaveOut("files with a path that memory does not allow");
    else if (passageLengthFault(passage.text) !== null) remarks.leaveOut("memories of more than 1,000,000 characters");
    else if (isSeen(keys, id)) remarks.leaveOut("memories with the same text as an earlier memory");
    else await batches.addPassage(passage);
  } else {
    const { conversation } = read;
    if (isSeen(keys, conversation.key)) {
      remarks.leaveOut("conversations that the file contains more than once");
      return;
    }
    const inConversation = (...words: readonly string[]): string => idOf(conversation.key, ...words);
    const tree = conversationTree(conversation, { idOf: inConversation, now, remarks });
    if (tree === null) remarks.leaveOut("conversations without messages");
    else await batches.addConversation(tree);
  }
}

function isSeen(keys: Set<string>, key: string): boolean {
  const isKnown = keys.has(key);
  keys.add(key);
  return isKnown;
}

interface PassageOptions {
  readonly idOf: (...words: readonly string[]) => string;
  readonly now: number;
  readonly remarks: Remarks;
}

function passageOf({ key, path, text, tags, at }: SourceMemory, { idOf, now, remarks }: PassageOptions) {
  if (at === null) remarks.note("memories without a time, which got the time of the import");
  const words = storableText(path === undefined ? text : passageText(path, text));
  // The id is derived from the text, because an archive contains each text once.
  const id = idOf("text", words);
  const passage = outsidePassage({
    id: key === null ? id : idOf("id", key),
    text: words,
    tags: path === undefined ? tags : [...tags, ...tagsOfFile(path)],
    at: new Date(at ?? now).toISOString(),
  });
  return { id, passage };
}

interface TextBatches {
  readonly onBytes: (read: number, total: number | null) => void;
  addConversation(tree: ConversationTree): Promise<void>;
  addPassage(passage: TransferredPassage): Promise<void>;
  /** Stores the collected items, and waits until they are stored. */
  end(): Promise<void>;
  found(): ImportReport["found"];
  added(): ImportReport["added"];
}

/** Limits of a batch: number of rows, and UTF-16 units of text. */
const maxRows = 500;
const maxLength = 2_000_000;

function createTextBatches(
  deps: Pick<OperationDeps, "store" | "models">,
  agent: AgentRecord,
  { dryRun = false, onProgress }: Pick<ImportOptions, "dryRun" | "onProgress">,
): TextBatches {
  const found = { conversations: 0, messages: 0, branches: 0, passages: 0 };
  const added = { conversations: 0, messages: 0, passages: 0 };
  const bytes = { bytes: 0, totalBytes: null as number | null };
  const counter = counterFor(deps, agent);
  let batch = emptyBatch();
  let storing: Promise<void> = Promise.resolve();

  async function store({ conversations, passages }: Batch): Promise<void> {
    const { transfers } = deps.store;
    const put = dryRun ? transfers.countNew : transfers.add;
    const counts: AddedTexts = await put(agent.id, { conversations, passages });
    added.conversations += counts.conversations;
    added.messages += counts.messages;
    added.passages += counts.passages;
    onProgress?.({ ...added, ...bytes });
  }

  async function flush(): Promise<void> {
    const full = batch;
    batch = emptyBatch();
    await storing;
    if (full.rows === 0) return;
    storing = store(full);
    // Prevents an unhandled rejection: the error is thrown where `storing` is awaited.
    storing.catch(() => undefined);
  }

  async function count(rows: number, length: number): Promise<void> {
    batch.rows += rows;
    batch.length += length;
    if (batch.rows >= maxRows || batch.length >= maxLength) await flush();
  }

  return {
    onBytes: (read, total) => void Object.assign(bytes, { bytes: read, totalBytes: total }),
    async addConversation({ conversation, branches }) {
      found.conversations += 1;
      found.messages += conversation.messages.length;
      found.branches += branches;
      if (!dryRun) counter.prepare();
      batch.conversations.push(dryRun ? conversation : countedConversation(conversation, agent, counter));
      await count(
        conversation.messages.length,
        conversation.messages.reduce((sum, { text }) => sum + text.length, 0),
      );
    },
    async addPassage(passage) {
      found.passages += 1;
      batch.passages.push(passage);
      await count(1, passage.text.length);
    },
    async end() {
      await flush();
      await storing;
    },
    found: () => ({ ...found }),
    added: () => ({ ...added }),
  };
}

interface Batch {
  readonly conversations: TransferredConversation[];
  readonly passages: TransferredPassage[];
  rows: number;
  length: number;
}

function emptyBatch(): Batch {
  return { conversations: [], passages: [], rows: 0, length: 0 };
}
