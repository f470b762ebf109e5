// Creates the doctor, which checks an installation step by step, from the machine to the rows of one user.
// Invariant: a check that cannot run is a finding too, and nothing is changed unless a repair was requested.
import { appendAll } from "../../base/lists.ts";
import type { ConfigurationFacts } from "../../config/settings/configuration-facts.ts";
import type { Model } from "../../model/llm/model.ts";
import type { InspectedStore, StoreInspector } from "../../store/port/inspection.ts";
import type { Embedders } from "../../memory/vectors/embedders.ts";
import type { Doctor, DoctorReport, Finding } from "./contract.ts";
import { configurationFindings } from "./configuration-findings.ts";
import { distanceFinding, examineDatabase } from "./database-findings.ts";
import { failed, failedBy, failing, ok } from "./finding.ts";
import { folderFindings, lockReport } from "./folder-findings.ts";
import { assistFindings, embedderFinding, modelFinding } from "./model-findings.ts";
import { type ObjectExamination, objectFindings } from "./object-findings.ts";
import { repairFolder, repairVectors } from "./repair.ts";
import { userFindings } from "./user-findings.ts";

export interface DoctorDeps {
  readonly inspector: StoreInspector;
  readonly configuration: ConfigurationFacts;
  readonly userId: string;
  readonly model: string;
  readonly assist: "off" | "on";
  /** The address of the model's server; null: the provider's own address. */
  readonly baseUrl: string | null;
  /** Returns a model. Throws ConfigError for a model with a missing key. */
  readonly resolveModel: (name: string, baseUrl: string | null) => Model;
  readonly embedders: Embedders;
  readonly openListing: ObjectExamination["openListing"];
  /** The version of Node, as in `process.versions.node`. */
  readonly nodeVersion: string;
  readonly log: (line: string) => void;
}

type Options = NonNullable<Parameters<Doctor["examine"]>[0]>;

export function createDoctor(deps: DoctorDeps): Doctor {
  const { inspector } = deps;
  return {
    examine: (options = {}) => examine(deps, options),
    async lock() {
      const facts = await inspector.lock();
      if (facts !== null) return lockReport(facts);
      return { kind: "free", finding: ok("lock", "A PostgreSQL server needs no lock: there is nothing to remove.") };
    },
    unlock: () => inspector.unlock(),
  };
}

async function examine(deps: DoctorDeps, options: Options): Promise<DoctorReport> {
  const repairs: string[] = [];
  const { inspector, model: name, baseUrl, resolveModel: resolve } = deps;
  const embedder = deps.embedders.default?.embedder ?? null;
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  const online = options.online === true;
  const place = await examinePlace(inspector, options, repairs);
  const database = place.isUsable ? await storeFindings(deps, options, repairs) : [];
  const findings = [
    nodeFinding(deps.nodeVersion),
    ...configurationFindings(deps.configuration),
    ...place.findings,
    ...database,
    await modelFinding({ name, baseUrl, resolve, online, ...signal }),
    ...assistFindings(name, deps.assist),
    await embedderFinding({ embedder, online, ...signal }),
  ];
  return { findings, repairs };
}

// A test compares this version with `engines` in package.json.
const oldestNode = [20, 11] as const;

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  if (!isOld) return ok("node", `Node ${version}.`);
  return failed("node", `Node ${version} is too old.`, `Install Node ${oldestNode.join(".")} or later.`);
}

interface Place {
  readonly findings: readonly Finding[];
  /** Whether there is a database to examine. A missing database is not opened, because opening would create it. */
  readonly isUsable: boolean;
}

async function examinePlace(inspector: StoreInspector, options: Options, repairs: string[]): Promise<Place> {
  try {
    if (options.repair === true) appendAll(repairs, await repairFolder(inspector));
    return await placeFindings(inspector);
  } catch (error) {
    return { findings: [failedBy("folder", error)], isUsable: false };
  }
}

async function placeFindings(inspector: StoreInspector): Promise<Place> {
  const folder = await inspector.folder();
  if (folder === null) return { findings: [], isUsable: true };
  const findings = folderFindings(folder);
  if (!folder.exists || folder.refusal !== null) return { findings, isUsable: false };
  const lock = await inspector.lock();
  const lockFindings = lock === null ? [] : [lockReport(lock).finding];
  return { findings: [...findings, ...lockFindings], isUsable: folder.hasDatabase };
}

async function storeFindings(deps: DoctorDeps, options: Options, repairs: string[]): Promise<readonly Finding[]> {
  let store: InspectedStore;
  try {
    store = await deps.inspector.open();
  } catch (error) {
    return [failedBy("database", error)];
  }
  try {
    const { findings, hasSchema } = await examineDatabase(store);
    if (!hasSchema) return findings;
    const { openListing } = deps;
    const objects = await objectFindings(store, { openListing, online: options.online === true });
    const user = store.as(deps.userId);
    if (options.repair === true && deps.embedders.default !== null) {
      const { embedders, log } = deps;
      const signal = options.signal === undefined ? {} : { signal: options.signal };
      appendAll(repairs, await repairVectors(user, { embedders, log, ...signal }));
    }
    const ofUser = await userFindings(user, deps.embedders);
    return [...findings, ...objects, ...ofUser, await distanceFinding(store).catch(failing("distances"))];
  } finally {
    await store.close();
  }
}
