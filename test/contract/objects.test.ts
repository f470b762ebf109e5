// Objects outside the database: in a folder, and in an S3-compatible service over HTTP, the server of TEST_S3_URL or a fake one.
import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { Objects } from "../../src/store/object-storage/objects.ts";
import type { ObjectsLocation } from "../../src/store/object-storage/object-files.ts";
import { createOutsideObjects } from "../../src/store/object-storage/outside-objects.ts";
import { type ObjectServer, startObjectServer } from "../support/object-server.ts";
import { createBucket, onS3Server, s3Url } from "../support/s3-bucket.ts";
import { lastOf, useRuntimes } from "../support/runtime.ts";
import { useFolder } from "../support/folders.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";

const folder = useFolder();
let server: ObjectServer;
let s3: ObjectsLocation;

beforeAll(async () => {
  server = await startObjectServer();
  s3 = s3Url === undefined ? server.place : (await createBucket(s3Url)).place;
});

afterAll(() => server.close());

const places: Readonly<Record<string, () => ObjectsLocation>> = {
  folder: () => ({ kind: "folder", folder: path.join(folder, "kept") }),
  s3: () => s3,
};

describe.each(Object.keys(places))("objects in a %s", (kind) => {
  const open = (user = "ada"): Objects => createOutsideObjects(places[kind]!(), user);

  it("are read as they were written, and can be deleted", async () => {
    const objects = open();
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => at % 256));
    expect(objects.place).toBe(kind);
    expect(await objects.create("attachments/one", bytes)).toBe(true);
    expect(await objects.create("attachments/one", Buffer.from("other"))).toBe(false);
    expect(Buffer.compare(Buffer.from((await open().get("attachments/one"))!), bytes)).toBe(0);
    await objects.delete("attachments/one");
    expect(await objects.get("attachments/one")).toBeNull();
    await expect(objects.delete("attachments/one")).resolves.toBeUndefined();
  });

  it.each(["ben", "../ada", "ada/..", "", "ad\u0000a"])("are not visible to the user %j", async (user) => {
    await open().create("mine", Buffer.from("ada's"));
    expect(await open(user).get("mine")).toBeNull();
  });

  it.each(["../x", "a/../../x", "/etc/passwd", "a:b", ".."])("refuse the key %j", async (key) => {
    await expect(open().create(key, Buffer.from("x"))).rejects.toMatchObject({ code: "input_invalid" });
    await expect(open().get(key)).rejects.toMatchObject({ code: "input_invalid" });
    await expect(open().delete(key)).rejects.toMatchObject({ code: "input_invalid" });
  });
});

it("a service that is down is an error without secrets", async () => {
  server.isDown = true;
  const failure = await createOutsideObjects(server.place, "ada")
    .get("x")
    .catch((error: unknown) => error as Error);
  server.isDown = false;
  expect(failure).toMatchObject({ code: "objects_failed" });
  expect((failure as Error).message).not.toContain("secret");
});

it("writing to a missing bucket is an error, and no object counts as stored", async () => {
  const nowhere = createOutsideObjects({ ...s3, bucket: "nowhere" } as ObjectsLocation, "ada");
  await expect(nowhere.create("lost", Buffer.from("x"))).rejects.toMatchObject({ code: "objects_failed" });
  expect(await nowhere.get("lost")).toBeNull();
});

onS3Server("the fake one takes any secret")("a service that checks credentials", () => {
  it.each([
    ["a wrong secret", { secretAccessKey: "wrong" }],
    ["an unknown key", { accessKeyId: "nobody" }],
  ])("with %s stores nothing and returns nothing", async (_what, change) => {
    const right = createOutsideObjects(s3, "ada");
    await right.create("guarded", Buffer.from("ada's"));
    const wrong = createOutsideObjects({ ...s3, ...change } as ObjectsLocation, "ada");
    await expect(wrong.create("intruded", Buffer.from("x"))).rejects.toMatchObject({ code: "objects_failed" });
    await expect(wrong.get("guarded")).rejects.toMatchObject({ code: "objects_failed" });
    await expect(wrong.delete("guarded")).rejects.toMatchObject({ code: "objects_failed" });
    expect(await right.get("intruded")).toBeNull();
    expect(Buffer.from((await right.get("guarded"))!).toString()).toBe("ada's");
  });
});

it("a failed write leaves no file, and a later one stores the whole object", async () => {
  const at = path.join(folder, "blocked");
  const objects = createOutsideObjects({ kind: "folder", folder: at }, "ada");
  await objects.create("first", Buffer.from("x"));
  const own = path.join(at, readdirSync(at)[0]!);
  writeFileSync(path.join(own, "part"), "not a folder");
  await expect(objects.create("part/one", Buffer.from("y"))).rejects.toMatchObject({ code: "objects_failed" });
  expect(readdirSync(own).toSorted()).toEqual(["first", "part"]);
  rmSync(path.join(own, "part"));
  expect(await objects.create("part/one", Buffer.from("y"))).toBe(true);
  expect(readdirSync(path.join(own, "part"))).toEqual(["one"]);
});

it("only their owner may read the files in a folder that is created for them", async () => {
  const at = path.join(folder, "private", "objects");
  await createOutsideObjects({ kind: "folder", folder: at }, "ada").create("attachments/one", Buffer.from("x"));
  const found = readdirSync(path.dirname(at), { recursive: true, encoding: "utf8" });
  const modes = found.map((name) => statSync(path.join(path.dirname(at), name)).mode & 0o777);
  expect(modes.toSorted((one, other) => one - other)).toEqual([0o600, 0o700, 0o700, 0o700]);
});

it("a path that is not a folder is an error", async () => {
  const file = path.join(folder, "a-file");
  writeFileSync(file, "x");
  const objects = createOutsideObjects({ kind: "folder", folder: file }, "ada");
  await expect(objects.create("key", Buffer.from("x"))).rejects.toMatchObject({ code: "objects_failed" });
  await expect(objects.get("key")).rejects.toMatchObject({ code: "objects_failed" });
  chmodSync(file, 0o600);
});

describe("a runtime with objects in a folder", () => {
  const runtimes = useRuntimes();

  const filesIn = (at: string): readonly string[] =>
    existsSync(at)
      ? readdirSync(at, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("attachments/"))
      : [];

  it("stores files there, reads them after a change of the setting, and deletes them with their conversation", async () => {
    const at = path.join(folder, "runtime");
    const models = [createScriptedModel({ replies: () => ({ text: "ok" }) })];
    const runtime = await runtimes.open({ model: "scripted", models, objects: `folder:${at}` });
    const agent = await runtime.agents.open("keeper", { create: {} });
    const file = { data: Buffer.from("some words"), name: "a.txt" };
    await lastOf(agent.send("one", { files: [file] }));
    await lastOf(agent.send("two", { files: [file] }));
    expect(filesIn(at)).toHaveLength(1);
    await runtime.conversations.delete(agent.conversationId);
    expect(filesIn(at)).toEqual([]);
  });

  it("retries a failed deletion", async () => {
    const at = path.join(folder, "later");
    const options = { model: "scripted", models: [createScriptedModel({ replies: () => ({ text: "ok" }) })] };
    const runtime = await runtimes.open({ ...options, objects: `folder:${at}` });
    const agent = await runtime.agents.open("later", { create: {} });
    await lastOf(agent.send("one", { files: [{ data: Buffer.from("other words"), name: "a.txt" }] }));
    const without = await runtimes.open(options);
    await without.conversations.delete(agent.conversationId);
    expect(filesIn(at)).toHaveLength(1);
    const again = await runtimes.open({ ...options, objects: `folder:${at}` });
    await again.close();
    expect(filesIn(at)).toEqual([]);
  });

  it("finds the folder from the home folder, and refuses a path that another working folder would change", async () => {
    const at = path.join(folder, "at-home");
    const options = { model: "scripted", models: [createScriptedModel({ replies: () => ({ text: "ok" }) })] };
    const runtime = await runtimes.open({ ...options, objects: `folder:~/${path.relative(homedir(), at)}` });
    const agent = await runtime.agents.open("homely", { create: {} });
    await lastOf(agent.send("one", { files: [{ data: Buffer.from("words at home"), name: "a.txt" }] }));
    expect(filesIn(at)).toHaveLength(1);
    await expect(runtimes.open({ ...options, objects: "folder:here" })).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining('begins with "~/", got "here"'),
    });
  });

  it.each(["", "folder:", "s3:bucket", "s3:https://host", "disk"])("refuses the setting %j", async (objects) => {
    await expect(runtimes.open({ objects })).rejects.toMatchObject({ code: "config_invalid" });
  });

  it("refuses s3 without its keys", async () => {
    await expect(runtimes.open({ objects: "s3:https://host/bucket" })).rejects.toThrow("s3AccessKeyId");
  });
});
