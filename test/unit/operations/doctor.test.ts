// The doctor with scripted ports: its findings, how it continues after failures, and its repairs.
import { readFileSync } from "node:fs";
import { packageRoot } from "../../../src/base/package-root.ts";
import { ConfigError, StoreError } from "../../../src/base/errors.ts";
import type { Embedder, GuardedEmbedder } from "../../../src/model/embedding/embedder.ts";
import { guardEmbedder } from "../../../src/model/embedding/guarded-embedder.ts";
import type {
  DatabaseFacts,
  FolderFacts,
  InspectedStore,
  LockFacts,
  StoreInspector,
} from "../../../src/store/port/inspection.ts";
import type { UserStore } from "../../../src/store/port/store.ts";
import { createDoctor, type DoctorDeps } from "../../../src/runtime/doctor/create-doctor.ts";
import type { Finding } from "../../../src/runtime/doctor/contract.ts";
import { createScriptedModel } from "../../../src/exports/testing.ts";
import { onlyEmbedder } from "../../support/only-embedder.ts";
import { createFailingEmbedder } from "../../support/failing-embedder.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const folder: FolderFacts = {
  path: "/data",
  exists: true,
  hasDatabase: true,
  refusal: null,
  mode: 0o700,
  freeBytes: 1e10,
  socket: { folder: "/data/socket", length: 30, limit: 100 },
};
const facts: DatabaseFacts = {
  serverVersion: "18.0",
  vectorVersion: "0.8.0",
  schema: "current",
  newestMigration: "0003",
};
const owner = { host: "elsewhere", pid: 4711 };

interface Scene {
  readonly folder?: Partial<FolderFacts> | null;
  readonly lock?: LockFacts;
  readonly store?: Partial<InspectedStore>;
  readonly open?: () => Promise<InspectedStore>;
  readonly user?: {
    readonly missing?: number;
    /** Messages without a vector. */
    readonly unsaid?: number;
    readonly faults?: { readonly missing: number; readonly due: number };
    readonly unfinished?: { readonly conversations: number; readonly calls: number };
  };
  readonly inspector?: Partial<StoreInspector>;
  readonly deps?: Partial<DoctorDeps>;
}

/** A doctor for an installation in which all is well but for what the scene changes, and what was done to it. */
function doctorFor(scene: Scene) {
  const done: string[] = [];
  const told: string[] = [];
  const store: InspectedStore = {
    facts: async () => facts,
    requireIsolation: async () => undefined,
    orphans: async () => [],
    withoutIndex: async () => [],
    objectFaults: async () => ({ objects: 2, missing: 0, unreferenced: 0 }),
    externalObjects: async () => [],
    probeDistance: async () => ({ kind: "right", dimensions: 512 }),
    as: () => userStore(scene),
    close: async () => void done.push("close"),
    ...scene.store,
  };
  const inspector: StoreInspector = {
    folder: async () => (scene.folder === null ? null : { ...folder, ...scene.folder }),
    lock: async () => (scene.folder === null ? null : (scene.lock ?? { kind: "free" })),
    makePrivate: async () => void done.push("makePrivate"),
    unlock: async () => void done.push("unlock"),
    open: scene.open ?? (async () => store),
    ...scene.inspector,
  };
  const doctor = createDoctor({
    inspector,
    configuration: { file: null, plainKeys: [], secrets: null },
    baseUrl: null,
    userId: "ada",
    model: "demo",
    assist: "off",
    resolveModel: () => createScriptedModel({ replies: [{ text: "Hi" }] }),
    embedders: onlyEmbedder(guarded(createFailingEmbedder())),
    openListing: () => null,
    nodeVersion: "22.1.0",
    log: (line) => void told.push(line),
    ...scene.deps,
  });
  return { doctor, done, told };
}

function guarded(embedder: Embedder): GuardedEmbedder {
  return guardEmbedder(embedder, { clock: createManualClock(), random: () => 0, log: () => undefined });
}

/** A user of two agents, with so many passages and messages without a vector in the first. */
function userStore({ user }: Scene): UserStore {
  const missing = new Set(Array.from({ length: user?.missing ?? 0 }, (_, index) => `p${index}`));
  const passages = {
    countWithoutVector: async () => (missing.size === 0 ? [] : [{ agentId: "first", passages: missing.size }]),
    withoutVector: async (_agent: string, { limit }: { readonly limit: number }) =>
      [...missing].slice(0, limit).map((id) => ({ id, content: `text of ${id}` })),
    addVectors: async (_agent: string, { rows }: { readonly rows: readonly { readonly passageId: string }[] }) => {
      for (const { passageId } of rows) missing.delete(passageId);
    },
  };
  const attachments = { count: async () => user?.faults ?? { missing: 0, due: 0 } };
  const conversations = { countUnfinished: async () => user?.unfinished ?? { conversations: 0, calls: 0 } };
  let unsaid = user?.unsaid ?? 0;
  const recall = {
    countWithoutVector: async () => (unsaid === 0 ? [] : [{ agentId: "first", messages: unsaid }]),
    withoutVector: async () =>
      Array.from({ length: Math.min(32, unsaid) }, (_, index) => ({
        id: `${index}`,
        text: "said",
        speaker: null,
        previous: null,
      })),
    addVectors: async (_agent: string, { rows }: { readonly rows: readonly unknown[] }) => {
      unsaid -= rows.length;
    },
  };
  const embedders = { list: async () => [] };
  const agents = { list: async () => [], offers: async () => [], former: async () => [] };
  return { userId: "ada", agents, embedders, passages, recall, conversations, attachments } as unknown as UserStore;
}

async function findingsOf(scene: Scene, options = {}): Promise<Readonly<Record<string, Finding>>> {
  const { findings } = await doctorFor(scene).doctor.examine(options);
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
}

const verdictsOf = async (scene: Scene) =>
  Object.fromEntries(Object.values(await findingsOf(scene)).map(({ check, verdict }) => [check, verdict]));

const place = ["node", "configuration", "folder", "rights", "disk", "socket", "lock"];
const stored = ["orphans", "indexes", "objects", "vectors", "turns", "attachments", "sharing", "distances"];
const data = ["database", "pgvector", "schema", "role", ...stored];

describe("a healthy installation", () => {
  it("has every check, all of them ok and without advice, and its store is closed", async () => {
    const { doctor, done } = doctorFor({});
    const { findings, repairs } = await doctor.examine();
    expect(findings.map(({ check }) => check)).toEqual([...place, ...data, "model", "embedder"]);
    expect(findings.filter(({ verdict, advice }) => verdict !== "ok" || advice !== null)).toEqual([]);
    expect({ repairs, done }).toEqual({ repairs: [], done: ["close"] });
  });

  it("has no folder and no lock on a server", async () => {
    expect(Object.keys(await verdictsOf({ folder: null }))).toEqual([
      "node",
      "configuration",
      ...data,
      "model",
      "embedder",
    ]);
  });

  it("that does not exist yet is not created by the check", async () => {
    const open = async (): Promise<InspectedStore> => {
      throw new RangeError("opened");
    };
    const absent = await verdictsOf({ folder: { exists: false, hasDatabase: false, mode: null }, open });
    expect(absent).toEqual({
      node: "ok",
      configuration: "ok",
      folder: "ok",
      disk: "ok",
      socket: "ok",
      model: "ok",
      embedder: "ok",
    });
    expect(await verdictsOf({ folder: { hasDatabase: false }, open })).not.toHaveProperty("database");
  });
});

const failures: readonly (readonly [string, Scene, string, Partial<Finding>])[] = [
  ["an old Node", { deps: { nodeVersion: "20.10.1" } }, "node", { verdict: "failed" }],
  ["the oldest Node", { deps: { nodeVersion: "20.11.0" } }, "node", { verdict: "ok" }],
  [
    "a folder that cannot be used",
    { folder: { refusal: "read-only" } },
    "folder",
    { verdict: "failed", found: "read-only" },
  ],
  ["a folder that others may read", { folder: { mode: 0o750 } }, "rights", { verdict: "warning" }],
  ["a disk that is nearly full", { folder: { freeBytes: 1e8 } }, "disk", { verdict: "warning" }],
  ["a disk that is full", { folder: { freeBytes: 1e6 } }, "disk", { verdict: "failed" }],
  [
    "a socket path too long",
    { folder: { socket: { folder: "/x", length: 101, limit: 100 } } },
    "socket",
    { verdict: "failed" },
  ],
  ["a lock of another host", { lock: { kind: "foreign", file: "/l", owner } }, "lock", { verdict: "failed" }],
  ["a lock that is served", { lock: { kind: "serving", file: "/l", owner } }, "lock", { verdict: "ok" }],
  ["a holder that is busy", { lock: { kind: "waiting", file: "/l", owner } }, "lock", { verdict: "warning" }],
  ["a holder that is stopped", { lock: { kind: "stopped", file: "/l", owner } }, "lock", { verdict: "failed" }],
  ["a lock that is damaged", { lock: { kind: "unreadable", file: "/l" } }, "lock", { verdict: "failed" }],
  [
    "no pgvector",
    { store: { facts: async () => ({ ...facts, vectorVersion: null }) } },
    "pgvector",
    { verdict: "warning" },
  ],
  [
    "an old pgvector",
    { store: { facts: async () => ({ ...facts, vectorVersion: "0.7.4" }) } },
    "pgvector",
    { verdict: "warning", advice: expect.stringContaining("ALTER EXTENSION vector UPDATE") },
  ],
  [
    "an old server",
    { store: { facts: async () => ({ ...facts, serverVersion: "14.11 (Debian)" }) } },
    "database",
    { verdict: "warning", advice: expect.stringContaining("PostgreSQL 15 or later") },
  ],
  [
    "a pgvector to come",
    { store: { facts: async () => ({ ...facts, vectorVersion: "1.0.0" }) } },
    "pgvector",
    { verdict: "ok" },
  ],
  [
    "an older schema",
    { store: { facts: async () => ({ ...facts, schema: "older" }) } },
    "schema",
    { verdict: "warning" },
  ],
  [
    "a newer schema",
    { store: { facts: async () => ({ ...facts, schema: "newer" }) } },
    "schema",
    { verdict: "failed" },
  ],
  [
    "a schema of another version, neither older nor newer",
    { store: { facts: async () => ({ ...facts, schema: "unknown" }) } },
    "schema",
    { verdict: "failed", found: "The schema has a migration that this version does not have (its newest is 0003)." },
  ],
  [
    "rows left behind",
    { store: { orphans: async () => [{ table: "messages", columns: "agent_id", missing: "agents", rows: 3 }] } },
    "orphans",
    { verdict: "failed", found: "Some rows reference missing records: 3 of messages (agent_id, not in agents)." },
  ],
  [
    "many vectors without an index",
    {
      store: {
        withoutIndex: async () => [{ table: "passages_512", dimensions: 512, vectors: 20_001, index: "none" as const }],
      },
    },
    "indexes",
    {
      verdict: "warning",
      found: expect.stringContaining("passages_512"),
      advice: expect.stringMatching(/optimize.*automatically.*schedule/u),
    },
  ],
  [
    "an invalid index",
    {
      store: {
        withoutIndex: async () => [{ table: "passages_512", dimensions: 512, vectors: 3, index: "broken" as const }],
      },
    },
    "indexes",
    { verdict: "warning", found: expect.stringContaining("invalid index") },
  ],
  ["tables of somebody else", { store: { orphans: async () => null } }, "orphans", { verdict: "warning" }],
  [
    "tables of somebody else that may need an index",
    { store: { withoutIndex: async () => null } },
    "indexes",
    { verdict: "warning", advice: expect.stringContaining("PALIMPSEST_MIGRATION_URL") },
  ],
  [
    "passages without vectors",
    { user: { missing: 7 } },
    "vectors",
    { verdict: "warning", found: expect.stringContaining("7 passages") },
  ],
  ["a lost file", { user: { faults: { missing: 1, due: 0 } } }, "attachments", { verdict: "warning" }],
  ["a due deletion", { user: { faults: { missing: 0, due: 2 } } }, "attachments", { verdict: "warning" }],
  ["an unfinished turn", { user: { unfinished: { conversations: 1, calls: 2 } } }, "turns", { verdict: "warning" }],
  ["no embedder", { deps: { embedders: onlyEmbedder(null) } }, "embedder", { verdict: "ok" }],
];

describe("the doctor", () => {
  it.each(failures)("finds %s", async (_what, scene, check, expected) => {
    const found = (await findingsOf(scene))[check]!;
    expect(found).toMatchObject({ check, ...expected });
    expect(found.advice === null).toBe(found.verdict === "ok");
  });

  it("continues when the store cannot be opened", async () => {
    const open = async () => Promise.reject(new StoreError("store_locked", "The data folder is held."));
    const found = await findingsOf({ open });
    expect(found["database"]).toMatchObject({ verdict: "failed", found: "The data folder is held." });
    expect(found).toMatchObject({ model: { verdict: "ok" }, embedder: { verdict: "ok" } });
    expect(found).not.toHaveProperty("schema");
  });

  it("continues when the folder cannot be examined", async () => {
    const broken = doctorFor({ inspector: { folder: async () => Promise.reject(new RangeError("no such call")) } });
    const { findings } = await broken.doctor.examine({ repair: true });
    expect(findings.map(({ check }) => check)).toEqual(["node", "configuration", "folder", "model", "embedder"]);
    expect(findings[2]).toMatchObject({ verdict: "failed", found: "no such call" });
  });

  it("continues when a check of the database fails", async () => {
    const refuse = async () => Promise.reject(new StoreError("store_failed", "Policies do not hold."));
    const found = await findingsOf({ store: { requireIsolation: refuse } });
    expect(found["role"]).toMatchObject({ verdict: "failed", found: "Policies do not hold." });
    expect(found).toMatchObject({ orphans: { verdict: "ok" }, turns: { verdict: "ok" } });
  });

  it("suggests help for a small model that has none", async () => {
    const model = "openai/llama3.2:3b";
    expect((await findingsOf({ deps: { model } }))["assist"]).toMatchObject({
      verdict: "warning",
      advice: "Create agents for this model with --assist on.",
    });
    expect((await findingsOf({ deps: { model, assist: "on" } }))["assist"]).toBeUndefined();
  });

  it("finds a model without its key, and calls a model only on request", async () => {
    const resolveModel = (): never => {
      throw new ConfigError("openai/x needs a key: set OPENAI_API_KEY.");
    };
    expect((await findingsOf({ deps: { resolveModel } }))["model"]).toMatchObject({ verdict: "failed" });
    const model = createScriptedModel({ replies: [{ toolCalls: [{ name: "x", arguments: {} }] }, { text: "Hi" }] });
    const deps = { resolveModel: () => model };
    await findingsOf({ deps });
    expect(model.requests).toHaveLength(0);
    for (const verdict of ["ok", "warning"])
      expect((await findingsOf({ deps }, { online: true }))["model"]).toMatchObject({ verdict });
  });

  it("knows the oldest Node that the package supports", () => {
    const { engines } = JSON.parse(readFileSync(`${packageRoot()}/package.json`, "utf8")) as {
      readonly engines: { readonly node: string };
    };
    expect(engines.node).toBe(">=20.11");
  });

  it.each(["down", "narrow"] as const)("finds an embedder that is %s", async (mode) => {
    const embedders = onlyEmbedder(guarded(createFailingEmbedder(mode)));
    expect((await findingsOf({ deps: { embedders } }))["embedder"]).toMatchObject({ verdict: "failed" });
  });
});

describe("a repair", () => {
  it("fixes the folder's permissions and makes missing vectors, reporting progress", async () => {
    const { doctor, done, told } = doctorFor({ folder: { mode: 0o755 }, user: { missing: 40, unsaid: 2 } });
    const { repairs, findings } = await doctor.examine({ repair: true });
    expect(repairs).toEqual(["Removed other users' access to /data.", "Made 42 missing vectors."]);
    expect(done).toContain("makePrivate");
    expect(told).toEqual(["vectors: 40 of 42", "vectors: 42 of 42"]);
    expect(findings.find(({ check }) => check === "vectors")).toMatchObject({ verdict: "ok" });
  });

  it("changes nothing without a request", async () => {
    const { doctor, done } = doctorFor({ folder: { mode: 0o755 }, user: { missing: 40 } });
    expect((await doctor.examine()).repairs).toEqual([]);
    expect(done).toEqual(["close"]);
  });

  it("calls an embedder on another machine only on request", async () => {
    const inner = { ...createFailingEmbedder("down"), isRemote: true };
    const { doctor } = doctorFor({ deps: { embedders: onlyEmbedder(guarded(inner)) } });
    const verdict = (findings: readonly Finding[]) => findings.find(({ check }) => check === "embedder")?.verdict;
    expect(verdict((await doctor.examine({})).findings)).toBe("ok");
    expect(inner.calls).toEqual([]);
    expect(verdict((await doctor.examine({ online: true })).findings)).toBe("failed");
  });

  it("reports how many passages the embedder refuses, and makes the other vectors", async () => {
    const inner = createFailingEmbedder();
    inner.poison = "of p3";
    const { doctor } = doctorFor({ user: { missing: 40 }, deps: { embedders: onlyEmbedder(guarded(inner)) } });
    const { repairs } = await doctor.examine({ repair: true });
    // p3, and p30 to p39.
    expect(repairs).toEqual([
      "Made 29 missing vectors.",
      expect.stringMatching(/^test\/failing refuses 11 texts, which are found only by words: p3, p30, p31, /u),
    ]);
  });

  it("reports the vectors made before the embedder failed", async () => {
    const embedders = onlyEmbedder(guarded(createFailingEmbedder("down")));
    const { doctor } = doctorFor({ user: { missing: 4 }, deps: { embedders } });
    const { repairs } = await doctor.examine({ repair: true });
    expect(repairs).toEqual(["Made 0 of 4 missing vectors, then stopped: out of order"]);
  });

  it("reports permissions that cannot be fixed, and continues", async () => {
    const makePrivate = async () => Promise.reject(new RangeError("not yours"));
    const { doctor } = doctorFor({ folder: { mode: 0o755 }, user: { missing: 1 }, inspector: { makePrivate } });
    const { repairs } = await doctor.examine({ repair: true });
    expect(repairs).toEqual(["Could not remove other users' access to /data: not yours", "Made 1 missing vectors."]);
  });

  it("ends when it is interrupted", async () => {
    const { doctor, done } = doctorFor({ user: { missing: 4 } });
    const signal = AbortSignal.abort(new RangeError("enough"));
    await expect(doctor.examine({ repair: true, signal })).rejects.toThrow("enough");
    expect(done).toEqual(["close"]);
  });
});

describe("a lock", () => {
  it.each([
    [{ kind: "free" }, "free"],
    [{ kind: "foreign", file: "/l", owner }, "removable"],
    [{ kind: "unreadable", file: "/l" }, "removable"],
    [{ kind: "serving", file: "/l", owner }, "held"],
    [{ kind: "waiting", file: "/l", owner }, "held"],
    [{ kind: "refusing", file: "/l", owner }, "held"],
    [{ kind: "stopped", file: "/l", owner }, "held"],
  ] as const)("%j is %s", async (lock, kind) => {
    expect(await doctorFor({ lock }).doctor.lock()).toMatchObject({ kind });
  });

  it("does not exist on a server", async () => {
    expect(await doctorFor({ folder: null }).doctor.lock()).toMatchObject({ kind: "free" });
  });
});
