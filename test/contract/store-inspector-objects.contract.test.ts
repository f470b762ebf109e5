// Compares rows and objects in every storage, and checks distances on the server. On the engine at hand.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createObjectsListing } from "../../src/store/object-storage/outside-objects.ts";
import type { ObjectsListing } from "../../src/store/object-storage/objects.ts";
import type { ObjectsLocation } from "../../src/store/object-storage/object-files.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { distanceFinding } from "../../src/runtime/doctor/database-findings.ts";
import { objectFindings } from "../../src/runtime/doctor/object-findings.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createStoreInspector } from "../../src/store/inspection/create-store-inspector.ts";
import { useStore } from "../support/database.ts";
import { type NodePlaces, openNodePlaces } from "../support/node-places.ts";
import { keep, nodeExchange, s3Keys } from "../support/node-scene.ts";
import { onEngine } from "../support/on-engine.ts";
import { keepFile, newTalk } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const { test } = useStore();
const inspected = useScene(() => createStoreInspector({ connection: test.connection }).open());
let places: NodePlaces;

beforeEach(async () => {
  await test.ownerRows("truncate users, object_deletions cascade");
  places = await openNodePlaces();
});

afterEach(() => places.close());

/** A runtime with a node memory of two turns in a place. */
async function withNodeMemory(objects: string): Promise<Runtime> {
  const runtime = await composeRuntime(
    { userId: "nora", model: "demo", embedder: null, objects, ...s3Keys },
    { store: test.store },
  );
  const memory = runtime.nodeMemory.open({ app: "app", conversation: "talk", node: "node" });
  await keep(memory, nodeExchange("m1", null), nodeExchange("m2", "m1"));
  return runtime;
}

async function verdictsWith(listing: ObjectsListing | null, online = true) {
  const findings = await objectFindings(inspected, { openListing: () => listing, online });
  return findings.map(({ verdict, found }) => `${verdict}: ${found}`);
}

describe("objects in the database", () => {
  const whole = "ok: Rows reference 2 objects in the database. All of them exist, and there are no others.";

  beforeEach(async () => {
    await (await withNodeMemory("database")).close();
    await keepFile(await newTalk(test.store.as("ada")), "x".repeat(600_000));
  });

  it("are all named by rows, and all rows have theirs", async () => {
    expect(await verdictsWith(null)).toEqual([whole]);
  });

  it("without a row are found", async () => {
    // Without the trigger that deletes the object.
    await test.ownerRows("truncate node_memories");
    expect(await verdictsWith(null)).toEqual(["warning: 1 objects in the database are referenced by no row."]);
  });

  it.each([
    ["missing", "delete from object_parts where user_id = 'nora'"],
    ["without a part", "delete from object_parts where part = 1"],
    ["of another size", "update object_parts set data = data || 'x' where user_id = 'nora'"],
  ])("that are %s are found", async (_, damage) => {
    await test.ownerRows(damage);
    expect(await verdictsWith(null)).toEqual([
      "failed: 1 of 2 objects that rows reference in the database are missing or incomplete.",
    ]);
  });
});

describe.each(["folder", "s3"] as const)("objects in a storage of the kind %s", (kind) => {
  const inDatabase = "ok: Rows reference 0 objects in the database. All of them exist, and there are no others.";
  let runtime: Runtime;
  let listing: ObjectsListing;

  beforeEach(async () => {
    const { setting } = places[kind];
    runtime = await withNodeMemory(setting);
    const address = setting.slice(setting.indexOf(":") + 1);
    const place: ObjectsLocation =
      kind === "folder"
        ? { kind, folder: address }
        : {
            kind,
            endpoint: new URL(address).origin,
            bucket: new URL(address).pathname.slice(1),
            region: "us-east-1",
            accessKeyId: "id",
            secretAccessKey: "secret",
          };
    listing = createObjectsListing(place);
  });

  afterEach(() => runtime.close());

  it("are all named by rows, on several pages, and all rows have theirs", async () => {
    for (const node of ["b", "c", "d"]) {
      await keep(runtime.nodeMemory.open({ app: "app", conversation: "talk", node }), nodeExchange("m1", null));
    }
    expect(await verdictsWith(listing)).toEqual([
      inDatabase,
      `ok: Rows reference 4 objects in the place "${kind}". All of them exist, and there are no others.`,
    ]);
  });

  it("that are missing, and those without a row, are found", async () => {
    await places[kind].remove("node.json");
    expect(await verdictsWith(listing)).toEqual([
      inDatabase,
      `failed: 1 of 1 objects that rows reference in the place "${kind}" are missing or incomplete.`,
    ]);
    await test.ownerRows("delete from object_deletions");
    await keep(runtime.nodeMemory.open({ app: "app", conversation: "talk", node: "other" }), nodeExchange("m1", null));
    await test.ownerRows("delete from node_memories");
    await test.ownerRows("delete from object_deletions");
    expect(await verdictsWith(listing)).toEqual([
      inDatabase,
      `warning: 1 objects in the place "${kind}" are referenced by no row.`,
    ]);
  });

  it("whose deletion is due are not a fault, whether they exist or not", async () => {
    await test.ownerRows("delete from node_memories");
    expect(await verdictsWith(listing)).toEqual([inDatabase, expect.stringMatching(/^ok: Rows reference 0 objects/u)]);
    await places[kind].remove("node.json");
    expect(await verdictsWith(listing)).toEqual([inDatabase, expect.stringMatching(/^ok: Rows reference 0 objects/u)]);
  });

  it("of deleted users are found until a runtime of the user deletes them", async () => {
    await runtime.close();
    await test.store.as("nora").usage.delete();
    expect(await verdictsWith(listing)).toEqual([
      inDatabase,
      expect.stringMatching(/^ok: Rows reference 0 objects/u),
      `warning: 1 objects in the place "${kind}" belonged to users who were deleted, and are not deleted yet: "nora".`,
    ]);
    runtime = await composeRuntime(
      { userId: "nora", model: "demo", embedder: null, objects: places[kind].setting, ...s3Keys },
      { store: test.store },
    );
    await runtime.idle();
    expect(await verdictsWith(listing)).toEqual([inDatabase, expect.stringMatching(/^ok: Rows reference 0 objects/u)]);
    expect(await places[kind].keys()).toEqual([]);
  });

  it("cannot be compared if the setting names another storage", async () => {
    expect(await verdictsWith(null)).toEqual([
      inDatabase,
      `warning: 1 objects in the place "${kind}" cannot be compared with their rows: the setting \`objects\` is another place.`,
    ]);
  });

  it("are listed over the network only if that is allowed", async () => {
    const [, found] = await verdictsWith(listing, false);
    expect(found).toContain(kind === "s3" ? "--online checks that they exist" : "All of them exist");
  });

  it("are in the report of a backup, which does not contain them", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-external-"));
    const { external } = await test.store.backup(path.join(folder, "all.gz"));
    rmSync(folder, { recursive: true });
    expect(external).toEqual([{ backend: kind, objects: 1, bytes: expect.any(Number) }]);
  });
});

describe("distances", () => {
  it("of 512 dimensions are computed correctly", async () => {
    expect(await inspected.probeDistance()).toEqual({ kind: "right", dimensions: 512 });
    expect(await distanceFinding(inspected)).toMatchObject({ check: "distances", verdict: "ok" });
  });

  it("that are wrong are reported", async () => {
    await test.ownerRows(
      "create or replace function l2_distance(vector, vector) returns float8 language sql as 'select 1.0::float8'",
    );
    expect(await distanceFinding(inspected)).toMatchObject({
      verdict: "failed",
      found: expect.stringContaining("wrong distances"),
    });
  });
});

onEngine("server", "the embedded engine has one backend for everybody")("a pgvector that ends its backend", () => {
  it("is reported as built for another processor, and ends only the probe's connection", async () => {
    await test.ownerRows(
      `create or replace function cosine_distance(vector, vector) returns float8 language plpgsql as
       'begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5); return 0; end'`,
    );
    const backends = () => test.ownerRows<{ readonly pid: number }>("select pg_backend_pid() as pid");
    const before = await backends();
    expect(await distanceFinding(inspected)).toMatchObject({
      check: "distances",
      verdict: "failed",
      found: expect.stringContaining("pgvector on this server was built for another processor"),
    });
    expect(await backends()).toEqual(before);
    expect((await inspected.facts()).schema).toBe("current");
  });
});
