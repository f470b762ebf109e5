// Imports an export of another program: reads its items one by one, and stores them in batches.
// Invariant: memory holds two batches at most, whatever the size of the file; each batch is one transaction, and what was stored
// stays when a later part of the file is damaged.
import { isObject, type JsonObject } from "../../../base/json-values.ts";
import { storableText } from "../../../base/code-points.ts";
import { RequestError } from "../../../base/errors.ts";
import type { AgentRecord } from "../../../store/port/records.ts";
import type { ImportOptions, ImportReport, ImportSource } from "../../imports.ts";
import { conversationTree } from "../../../transfer/conversation-tree.ts";
import { derivedId } from "../../../transfer/derived-id.ts";
import type { ExportForm, SourceItem, SourceMemory } from "../../../transfer/export-form.ts";
import { exportForms, guessedForm } from "../../../transfer/export-forms.ts";
import { passageLengthFault } from "../../../store/port/passage-store.ts";
import { outsidePassage } from "../../../transfer/outside-passage.ts";
import { createRemarks, type Remarks } from "../../../transfer/remarks.ts";
import { findAgent } from "../find-agent.ts";
import type { OperationDeps } from "../operation-deps.ts";
import { evictPassages } from "../retention-sweep.ts";
import { createTextBatches, type TextBatches } from "./text-batches.ts";
import { withStored } from "./with-stored.ts";

export interface ReadItemsOptions extends Pick<ExportForm, "files" | "fileName" | "holders"> {
  readonly onBytes: (read: number, total: number | null) => void;
  readonly onOtherFile: (name: string) => void;
  readonly signal?: AbortSignal;
}

export interface ImportExportDeps
  extends Pick<OperationDeps, "store" | "defaults" | "models" | "backFill" | "ids" | "clock" | "log"> {
  /** Throws RequestError `import_invalid` and ConfigError. */
  readonly readItems: (source: ImportSource, options: ReadItemsOptions) => AsyncIterable<unknown>;
}

/** Throws RequestError `agent_not_found` and `import_invalid`, ConfigError, and the signal's reason. */
export async function importExport(
  deps: ImportExportDeps,
  name: string,
  { source, ...options }: ImportOptions & { readonly source: ImportSource },
): Promise<ImportReport> {
  const agent = await findAgent(deps, name);
  const remarks = createRemarks();
  const batches = createTextBatches(deps, agent, options);
  const reading = { agent, form: exportForms[options.form], formName: options.form, remarks, batches };
  const seen: SeenItems = { number: 0, known: 0, keys: new Set() };
  try {
    for await (const value of deps.readItems(source, readOptions(reading, options))) {
      options.signal?.throwIfAborted();
      await takeItem(deps, { ...reading, value }, seen);
    }
    if (seen.number > 0 && seen.known === 0) throw nothingKnown(reading.form);
  } catch (error) {
    await batches.end();
    if (options.dryRun !== true) deps.backFill.wake();
    throw withStored(error, batches.added(), options);
  }
  await batches.end();
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
  /** Those that the form recognizes. */
  known: number;
  /** Keys of conversations, and ids of memories. */
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
    remarks.leaveOut(`items that are no ${form.holds} of ${form.program}`);
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
  { agent, formName, remarks, batches, read }: Reading & { readonly read: SourceItem },
  { keys }: SeenItems,
): Promise<void> {
  const now = clock.now().getTime();
  const idOf = (...words: readonly string[]): string => derivedId("import", formName, agent.id, ...words);
  if ("leftOut" in read) {
    remarks.leaveOut(read.leftOut);
  } else if ("memory" in read) {
    const { id, passage } = passageOf(read.memory, { idOf, now, remarks });
    if (passageLengthFault(passage.text) !== null) remarks.leaveOut("memories of more than 1,000,000 characters");
    else if (isSeen(keys, id)) remarks.leaveOut("memories with the text of an earlier one");
    else await batches.addPassage(passage);
  } else {
    const { conversation } = read;
    if (isSeen(keys, conversation.key)) {
      remarks.leaveOut("conversations that were in the file before");
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

function passageOf({ key, text, tags, at }: SourceMemory, { idOf, now, remarks }: PassageOptions) {
  if (at === null) remarks.note("memories without a time, which got the time of the import");
  const words = storableText(text);
  // By the text, because an archive has each text once.
  const id = idOf("text", words);
  const passage = outsidePassage({
    id: key === null ? id : idOf("id", key),
    text: words,
    tags,
    at: new Date(at ?? now).toISOString(),
  });
  return { id, passage };
}

function nothingKnown({ program, holds }: ExportForm): RequestError {
  return new RequestError("import_invalid", `Cannot import: the file contains no ${holds} of ${program}.`);
}
