// Imports everything in the database of a Letta server, for one user here.
// Invariant: records keep their ids from Letta, and each part is stored in its own transaction. So an interrupted import
// continues where it stopped, and a repeated one stores only what is new in Letta.
import { RequestError } from "../../../base/errors.ts";
import { appendAll } from "../../../base/lists.ts";
import type { Identity } from "../../../store/port/identity-store.ts";
import { passageLengthFault } from "../../../store/port/passage-store.ts";
import type {
  Transfer,
  TransferCounts,
  TransferredAgent,
  TransferredPassage,
} from "../../../store/port/transfer-store.ts";
import { kindOf } from "../../../memory/vectors/unembedded.ts";
import type { LettaImport, LettaImportOptions } from "../agent-files.ts";
import type {
  DatabaseAgent,
  DatabasePassage,
  LettaDatabase,
  LettaServer,
} from "../../../transfer/letta-database/letta-database.ts";
import {
  identityOf,
  passageOf,
  readConversation,
  readDatabaseAgent,
  readShared,
  type SharedParts,
  uuidOf,
  vectorsOf,
} from "../../../transfer/letta-database/letta-parts.ts";
import { modelsOf } from "../../../transfer/letta/letta-agent.ts";
import { derivedId } from "../../../transfer/derived-id.ts";
import { importFault } from "../../../transfer/import-fault.ts";
import { lowerTrust } from "../../../transfer/lower-trust.ts";
import { nameOfFile, type TextFile } from "../../../transfer/read-agent-file.ts";
import { countFree, countNew } from "./count-new.ts";
import { freeNames } from "./free-names.ts";
import type { OperationDeps } from "../../operations/operation-deps.ts";
import { countTokens, loadTexts, noteMissing, preparedAgent } from "./prepare-agent.ts";
import { matchTools } from "./share-named.ts";
import { withStored } from "./with-stored.ts";

interface Scene {
  readonly deps: OperationDeps;
  readonly database: LettaDatabase;
  readonly options: LettaImportOptions;
  readonly server: LettaServer;
  readonly shared: SharedParts;
  /** Maps the id of a tool in Letta's database to its id in this store. Contains only tools that agents can have. */
  readonly toolIds: ReadonlyMap<string, string>;
  readonly at: string;
  readonly notes: string[];
  /** The number of new records so far, by kind. */
  readonly counts: Counts;
  readonly store: (part: Partial<Transfer>) => Promise<void>;
}

type Counts = { -readonly [Key in keyof LettaImport["counts"]]: number };

/** Calls `use` with Letta's database. Throws RequestError `import_invalid` if it cannot be read. */
type ReadDatabase = <Result>(use: (database: LettaDatabase) => Promise<Result>) => Promise<Result>;

/**
 * Imports the database. Throws RequestError `import_invalid`, `input_invalid`, ConfigError and StoreError; parts that are
 * already stored stay.
 */
export async function importLettaDatabase(
  deps: OperationDeps,
  readDatabase: ReadDatabase,
  options: LettaImportOptions = {},
): Promise<LettaImport> {
  const counts: Counts = { ...noCounts };
  try {
    return await readDatabase((database) => importDatabase({ deps, database, options, counts }));
  } catch (error) {
    throw withStored(error, counts, options);
  } finally {
    if (options.dryRun !== true) deps.backFill.wake();
  }
}

async function importDatabase(given: Pick<Scene, "deps" | "database" | "options" | "counts">): Promise<LettaImport> {
  const {
    deps,
    database,
    counts,
    options: { dryRun },
  } = given;
  const at = deps.clock.now().toISOString();
  const server = await database.server();
  const read = readShared(server, at);
  const notes = [...read.notes];
  const matched = await matchTools(deps, read.tools, notes);
  const sources = await freeNames(read.sources, (name) => deps.store.sources.find(name), notes, "source");
  const shared = { ...read, tools: matched.tools, sources };
  const identities = server.identities.map((identity) => identityOf(identity, at));
  counts.identities = await importIdentities(deps, identities, { dryRun, notes });
  const put = dryRun === true ? countNew(deps) : (part: Transfer) => deps.store.transfers.put(part);
  const store = async (part: Partial<Transfer>) => {
    const lowered = lowerTrust({ ...emptyTransfer, ...part }, (after) => derivedId(after, "not run"));
    addCounts(counts, await put(lowered));
  };
  const agents = await importParts({ ...given, server, shared, toolIds: matched.ids, at, notes, store });
  noteMissing(deps, agents, notes);
  return { agents: agents.map(({ id, name }) => ({ id, name })), counts, notes };
}

async function importParts(scene: Scene): Promise<readonly TransferredAgent[]> {
  const { deps, server, shared, notes, store, options } = scene;
  const { modules, tools, sources } = shared;
  await store({ modules, tools, sources });
  for (const archive of shared.sharedArchives) {
    const source = sources.find(({ id }) => id === uuidOf(archive))!;
    await importPassages(scene, source.id, [archive], (passages) => store({ sources: [{ ...source, passages }] }));
  }
  await importFiles(scene);
  const read = server.agents.map((letta) => readDatabaseAgent(letta, scene));
  for (const part of read) appendAll(notes, part.notes);
  const named = await freeNames(
    read.map(({ agent }) => agent),
    (name) => deps.store.agents.find(name),
    notes,
    "agent",
  );
  const agents: TransferredAgent[] = [];
  for (const [index, letta] of server.agents.entries()) {
    options.signal?.throwIfAborted();
    options.onProgress?.({ agentsDone: index, agents: named.length, name: named[index]!.name });
    agents.push(
      await importAgent(scene, letta, named[index]!).catch((error: unknown) => {
        throw withAgent(error, named[index]!.name);
      }),
    );
  }
  return agents;
}

/** Turns an error about one agent's rows into an import error that names the agent. Returns any other error unchanged. */
function withAgent(error: unknown, name: string): unknown {
  if (!(error instanceof RequestError) || error.code === "import_invalid") return error;
  const problem = error.message.replace(/\.(?: Nothing was stored\.)?$/u, "");
  return importFault(`agent ${JSON.stringify(name)}: ${problem}`, error);
}

async function importAgent(scene: Scene, letta: DatabaseAgent, named: TransferredAgent): Promise<TransferredAgent> {
  const { deps, shared, store, options, toolIds, notes } = scene;
  const tools = named.tools.flatMap(({ id, ...tool }) => (toolIds.has(id) ? [{ ...tool, id: toolIds.get(id)! }] : []));
  const models = modelsOf({ ...letta, name: named.name });
  const agent = preparedAgent(deps, { ...named, tools }, { model: options.model, models, isTrusted: false, notes });
  await store({ agents: [agent] });
  for await (const conversation of conversationsOf(scene, letta)) {
    options.signal?.throwIfAborted();
    const part = { ...agent, conversations: [conversation] };
    // Tokens are not counted in a dry run, because loading a tokenizer takes longer than counting rows.
    await store({ agents: [options.dryRun === true ? part : countTokens(deps, part)] });
  }
  const archives = shared.ownArchives.get(letta.id) ?? [];
  await importPassages(scene, agent.id, archives, (passages) => store({ agents: [{ ...agent, passages }] }));
  return agent;
}

async function* conversationsOf({ database, server, at }: Scene, letta: DatabaseAgent) {
  const own = { id: null, title: null, createdAt: letta.created_at ?? null, inContext: letta.message_ids ?? null };
  const messages = await database.messages(letta.id, null);
  const first = readConversation(letta, { ...own, messages }, at);
  if (first !== null) yield first;
  for (const { id, summary, created_at: createdAt } of server.conversations.filter(
    (one) => one.agent_id === letta.id,
  )) {
    const facts = { id, title: summary ?? null, createdAt: createdAt ?? null };
    const [said, inContext] = [await database.messages(letta.id, id), await database.window(id)];
    const conversation = readConversation(letta, { ...facts, messages: said, inContext }, at);
    if (conversation !== null) yield conversation;
  }
}

/** Imports the passages of archives. Only the first of several passages with equal texts is stored. */
async function importPassages(
  { deps, database, at, notes, options }: Scene,
  holder: string,
  archives: readonly string[],
  put: (passages: readonly TransferredPassage[]) => Promise<void>,
): Promise<void> {
  const seen = new Set<string>();
  let equal = 0;
  let tooLong = 0;
  for (const archive of archives) {
    for await (const rows of pagesOf(database, archive)) {
      options.signal?.throwIfAborted();
      const whole = rows.filter(({ text }) => passageLengthFault(text) === null);
      tooLong += rows.length - whole.length;
      const first = whole.filter(({ text }) => seen.size < seen.add(derivedId(text)).size);
      equal += whole.length - first.length;
      await put(first.map((row) => passageOf(row, at)));
      if (options.dryRun !== true) await keepVectors(deps, holder, first);
    }
  }
  if (tooLong > 0) notes.push(`${tooLong} passage(s) of more than 1,000,000 characters: left out.`);
  if (equal > 0) notes.push(`${equal} passage(s) with the same text as another in the archive: not stored again.`);
}

/** Stores vectors from Letta that the runtime's embedder made. Other passages are embedded in the background. */
async function keepVectors({ store, embedders }: OperationDeps, holder: string, rows: readonly DatabasePassage[]) {
  if (embedders.default === null) return;
  const kind = kindOf(embedders.default.embedder);
  const vectors = vectorsOf(rows, kind);
  if (vectors.length === 0) return;
  // Each vector is stored with the number of the user's forgettings so far, which every row of this query contains.
  const [pending] = await store.passages.withoutVector(holder, { ...kind, limit: 1 });
  if (pending === undefined) return;
  const { forgettings } = pending;
  const version = forgettings === undefined ? {} : { forgettings };
  await store.passages.addVectors(holder, { ...kind, rows: vectors.map((vector) => ({ ...vector, ...version })) });
}

async function* pagesOf(database: LettaDatabase, archive: string) {
  let rows = await database.passages(archive, null);
  while (rows.length > 0) {
    yield rows;
    rows = await database.passages(archive, rows.at(-1)!.id);
  }
}

async function importFiles({ deps, database, server, shared, notes, options, counts }: Scene): Promise<void> {
  for (const { id } of server.sources) {
    const source = shared.sources.find((one) => one.id === uuidOf(id))!;
    const files: (TextFile & { readonly id: string })[] = [];
    for (const row of await database.files(id)) {
      const name = nameOfFile(row);
      const text = row.text ?? "";
      if (text === "") notes.push(`file ${JSON.stringify(name)}: the database does not have its text.`);
      else files.push({ id: uuidOf(row.id), sourceId: source.id, name, text });
    }
    const load = () => loadTexts(deps, files, { sources: [source], notes });
    counts.files += options.dryRun === true ? await countFree(deps, files) : await load();
  }
}

/**
 * Imports identities and returns the number of new ones. A stored identity with the id or the key of an imported one stays
 * unchanged. A dry run stores none.
 */
async function importIdentities(
  { store: { identities } }: OperationDeps,
  given: readonly Identity[],
  { dryRun = false, notes }: { readonly dryRun: boolean | undefined; readonly notes: string[] },
): Promise<number> {
  let added = 0;
  for (const identity of given) {
    if ((await identities.find(identity.id)) !== null) continue;
    const [sameKey] = await identities.list({ key: identity.key, order: "oldest", limit: 1 });
    if (sameKey !== undefined) {
      notes.push(`identity ${JSON.stringify(identity.key)}: your identity with this key was kept.`);
      continue;
    }
    if (!dryRun) await identities.create(identity);
    added += 1;
  }
  return added;
}

const emptyTransfer: Transfer = { modules: [], tools: [], sources: [], agents: [] };

const noCounts: LettaImport["counts"] = {
  agents: 0,
  modules: 0,
  tools: 0,
  sources: 0,
  files: 0,
  conversations: 0,
  messages: 0,
  passages: 0,
  identities: 0,
};

function addCounts(total: Counts, more: TransferCounts): void {
  for (const [key, count] of Object.entries(more)) total[key as keyof TransferCounts] += count;
}
