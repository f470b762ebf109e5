// A forgetting searches every column that can hold a user's text, and removes it from all of them; nobody else's rows change.
// The columns come from the database's catalogue, so that a new one is noticed. On the engine at hand.
import type { ForgettingStore, SearchedObjects } from "../../src/store/port/forgetting-store.ts";
import { textColumns } from "../../src/store/forgetting/text-columns.ts";
import { type IsolationScene, openScene, rowsOf, secret, tablesOf } from "../support/isolation-scene.ts";
import { ids } from "../support/store-builders.ts";
import { words } from "../support/words.ts";

let scene: IsolationScene;

beforeEach(async () => (scene = await openScene()));
afterEach(() => scene.close());

interface ColumnRow {
  readonly table: string;
  readonly column: string;
}

/** The columns of types that can hold a text, in whatever form. */
async function columnsWithText(): Promise<readonly ColumnRow[]> {
  const tables = await tablesOf(scene);
  const rows = await scene.test.ownerRows<ColumnRow>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = current_schema()
       and udt_name not in ('uuid', '_uuid', 'int2', 'int4', 'int8', 'float4', 'float8', 'bool', 'timestamptz')
     order by 1, 2`,
  );
  return rows.filter(({ table }) => tables.includes(table));
}

/** The secret's places, with the objects as a search outside of the store would find them. */
async function searchedObjects(forgetting: ForgettingStore): Promise<SearchedObjects> {
  const searched = await forgetting.objects();
  return {
    searched,
    files: searched.files.map(({ id, name }) => ({
      attachmentId: id,
      kind: "attachment",
      id: name,
      excerpt: null,
      effect: "removed",
    })),
    nodes: searched.nodes.map(({ app, conversation, node, revision, objectKey }) => ({
      kind: "node-memory",
      id: `${app}/${conversation}/${node}`,
      excerpt: null,
      effect: "redacted",
      change: {
        app,
        conversation,
        node,
        place: "database",
        objectKey: `${objectKey} again`,
        messages: 0,
        bytes: 1,
        updatedAt: new Date("2026-11-22T09:00:00Z"),
        from: revision,
        data: Buffer.from("x"),
      },
    })),
  };
}

async function forget(texts: readonly string[]) {
  const { forgetting } = scene.ada;
  const request = { texts, messages: [], passages: [] };
  const objects = await searchedObjects(forgetting);
  const record = { id: ids.next(), origin: "user", requestedAt: new Date("2026-11-22T09:00:00Z") } as const;
  const preview = await forgetting.find(request, objects);
  const pending = (await forgetting.pending()).map(({ id }) => id);
  return { preview, places: await forgetting.apply({ request, objects, record, pending }) };
}

/** What the checks of the schema require with a text in that column. */
const withIt: Readonly<Record<string, string>> = {
  "grants.agent_name": ", is_usable = false, ended_at = now(), time_zone = 'UTC'",
  "source_files.reason": ", status = 'failed'",
};

/** The rows in which the schema allows a text in that column. */
const onlyIn: Readonly<Record<string, string>> = {
  "stored_tools.source": " and kind = 'python'",
  "stored_tools.definition": " and kind = 'mcp'",
};

describe("the list of places", () => {
  it("has every column of the database that can hold text, and no other", async () => {
    const listed = Object.entries(textColumns).flatMap(([table, columns]) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    );
    const found = (await columnsWithText()).map(({ table, column }) => `${table}.${column}`);
    expect(found.toSorted()).toEqual(listed.toSorted());
  });
});

describe("a forgetting", () => {
  it("leaves no trace in any row of the user, whatever column it was in, and changes no other user's rows", async () => {
    const { ada, test } = scene;
    for (const [table, columns] of Object.entries(textColumns)) {
      for (const [column, content] of Object.entries(columns)) {
        const place = `${table}.${column}`;
        const plant = `update "${table}" set "${column}" = $2${withIt[place] ?? ""} where user_id = $1${onlyIn[place] ?? ""}`;
        if (content === "text") await test.ownerRows(plant, [ada.userId, `the code CANARY-4711 and "${secret}"`]);
      }
    }
    const others = [await rowsOf(scene, "ben"), await rowsOf(scene, "eve")];
    const { preview, places } = await forget([secret, "canary-4711"]);
    expect(places).toEqual(preview);
    const left = (await rowsOf(scene, "ada")).filter((row) => /canary-4711|ada's secret/iu.test(row));
    expect(left).toEqual([]);
    const objects = await test.ownerRows<{ readonly data: string }>(
      "select data::text as data from object_parts where user_id = 'ada'",
    );
    expect(objects.filter(({ data }) => data.includes(Buffer.from(secret).toString("hex")))).toEqual([]);
    expect([await rowsOf(scene, "ben"), await rowsOf(scene, "eve")]).toEqual(others);
  });

  it("finds the same places in a preview, which changes nothing", async () => {
    const before = await rowsOf(scene, "ada");
    const places = await scene.ada.forgetting.find(
      { texts: [secret], messages: [], passages: [] },
      await searchedObjects(scene.ada.forgetting),
    );
    const kinds = new Set(places.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(
      words(`
        attachment events input message module node-memory other passage prompt revision summary synopsis
      `),
    );
    expect(await rowsOf(scene, "ada")).toEqual(before);
  });
});
