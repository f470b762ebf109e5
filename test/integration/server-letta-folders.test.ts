// Folders and files of Letta's API, driven by its official client.
import Letta, { toFile } from "@letta-ai/letta-client";
import { openLettaServer } from "../support/letta-server.ts";
import { useScene } from "../support/use-scene.ts";

const server = useScene(() => openLettaServer());
let client: Letta;
beforeAll(async () => ({ client } = server));

let count = 0;
const newFolder = (more: Partial<Letta.FolderCreateParams> = {}) =>
  client.folders.create({ name: `folder-${(count += 1)}`, ...more });
const upload = async (
  folder: Letta.Folder,
  text: string,
  params: Omit<Letta.Folders.FileUploadParams, "file"> & { readonly as?: string } = {},
) => {
  const { as = "notes.txt", ...more } = params;
  return client.folders.files.upload(folder.id, { file: await toFile(Buffer.from(text), as), ...more });
};
const namesOf = async (folder: Letta.Folder) =>
  (await client.folders.files.list(folder.id, { order: "asc" })).items.map((file) => file.file_name);

test("a folder is created, found by name, changed and deleted, under both of its names", async () => {
  await newFolder();
  const folder = await newFolder({ description: "d", metadata: { k: 1 }, instructions: "read it" });
  expect(folder).toMatchObject({ description: "d", metadata: { k: 1 }, instructions: "read it" });
  expect((await client.folders.list({ name: folder.name })).items.map(({ id }) => id)).toEqual([folder.id]);
  expect((await server.ask("GET", `/v1/sources/${folder.id}`)).body).toMatchObject({
    id: folder.id,
    name: folder.name,
  });
  expect((await server.ask("GET", `/v1/folders/name/${folder.name}`)).body).toBe(folder.id);
  expect(await client.folders.update(folder.id, { description: "e" })).toMatchObject({
    description: "e",
    metadata: { k: 1 },
  });
  await expect(client.folders.create({ name: folder.name })).rejects.toMatchObject({ status: 409 });
  await client.folders.delete(folder.id);
  await expect(client.folders.retrieve(folder.id)).rejects.toMatchObject({ status: 404 });
});

test("a file is read when it is uploaded, and a name that exists is handled as the client says", async () => {
  const folder = await newFolder();
  const file = await upload(folder, "The harbour master is called Wren.");
  expect(file).toMatchObject({
    file_name: `${folder.name}/notes.txt`,
    original_file_name: "notes.txt",
    file_type: "text/plain",
    file_size: 34,
    processing_status: "completed",
    total_chunks: 1,
  });
  await upload(folder, "Second.");
  expect((await upload(folder, "Third.", { duplicate_handling: "skip" })).id).toBe(file.id);
  expect((await upload(folder, "Fourth.", { duplicate_handling: "replace" })).file_size).toBe(7);
  await expect(upload(folder, "Fifth.", { duplicate_handling: "error" })).rejects.toMatchObject({ status: 400 });
  await upload(folder, "# Named", { name: "other.md" });
  expect(await namesOf(folder)).toEqual(["notes.txt", "notes_(1).txt", "other.md"]);
  expect(await client.folders.files.retrieve(file.id, { folder_id: folder.id })).toMatchObject({
    file_name: "notes.txt",
  });
  const newest = await client.folders.files.list(folder.id, { limit: 1 });
  expect(newest.items.map((one) => one.file_name)).toEqual(["other.md"]);
  await client.folders.files.delete(file.id, { folder_id: folder.id });
  expect(await namesOf(folder)).toEqual(["notes_(1).txt", "other.md"]);
});

test("files with one name that are uploaded at once are all kept, beside one that cannot be read", async () => {
  const folder = await newFolder();
  const words = ["alpha", "beta", "gamma"];
  const uploaded = await Promise.all(words.map((word) => upload(folder, `The word is ${word}.`)));
  expect(new Set(uploaded.map(({ id }) => id)).size).toBe(3);
  expect((await namesOf(folder)).toSorted()).toEqual(["notes.txt", "notes_(1).txt", "notes_(2).txt"]);
  const stored = await server.host.forUser("ada").sources.passages(folder.id.slice("source-".length));
  expect(stored.map(({ text }) => text).toSorted()).toEqual(words.map((word) => `The word is ${word}.`));

  const other = await newFolder();
  const handling = { duplicate_handling: "error" } as const;
  const ends = await Promise.allSettled([
    client.folders.files.upload(other.id, { file: await toFile(Buffer.from([0, 255]), "notes.txt"), ...handling }),
    ...words.map((word) => upload(other, word, handling)),
  ]);
  expect(ends.filter((end) => end.status === "fulfilled")).toHaveLength(1);
  expect((await client.folders.files.list(other.id)).items).toMatchObject([
    { file_name: "notes.txt", total_chunks: 1 },
  ]);
});

test("the name and the handling of an upload can be fields of the form", async () => {
  const folder = await newFolder();
  const { id } = await upload(folder, "One.", { name: "a.txt" });
  const form = new FormData();
  form.append("file", new File(["Two."], "b.txt"));
  form.append("name", "a.txt");
  form.append("duplicate_handling", "skip");
  const headers = { authorization: `Bearer ${server.key}` };
  const answer = await fetch(`${server.url}/v1/folders/${folder.id}/upload`, { method: "POST", headers, body: form });
  expect(await answer.json()).toMatchObject({ id, file_name: `${folder.name}/a.txt` });
  expect(await namesOf(folder)).toEqual(["a.txt"]);
});

test("a file is not found in another folder", async () => {
  const [folder, other] = [await newFolder(), await newFolder()];
  const file = await upload(folder, "here");
  await upload(other, "there");
  for (const attempt of [
    client.folders.files.retrieve(file.id, { folder_id: other.id }),
    client.folders.files.delete(file.id, { folder_id: other.id }),
  ])
    await expect(attempt).rejects.toMatchObject({ status: 404 });
  expect([await namesOf(folder), await namesOf(other)]).toEqual([["notes.txt"], ["notes.txt"]]);
});

test("the sixth file that is opened closes the first one", async () => {
  const folder = await newFolder();
  const agent = await client.agents.create({ name: `reader-${(count += 1)}`, folder_ids: [folder.id] });
  const closed: unknown[] = [];
  for (const name of ["a", "b", "c", "d", "e", "f"]) {
    const { id } = await upload(folder, `Text of ${name}.`, { as: `${name}.txt` });
    closed.push(await client.agents.files.open(id, { agent_id: agent.id }));
  }
  expect(closed).toEqual([[], [], [], [], [], ["a.txt"]]);
});

test("an agent searches the files of its folders, from its creation on or from when they are attached", async () => {
  const folder = await newFolder();
  await upload(folder, "The harbour master is called Wren.");
  const agent = await client.agents.create({ name: "reader", folder_ids: [folder.id] });
  const search = async () =>
    (await server.host.forUser("ada").archival.search(agent.id.slice(6), "harbour master")).hits.length;
  expect(await search()).toBe(1);
  expect((await client.agents.passages.list(agent.id)).length).toBe(0);
  expect((await server.ask("GET", `/v1/folders/${folder.id}/agents`)).body).toEqual([agent.id]);
  const state = await client.agents.retrieve(agent.id, { include: ["agent.sources"] });
  expect(state.sources).toMatchObject([{ id: folder.id, name: folder.name }]);
  expect((await client.agents.files.list(agent.id)).files).toMatchObject([{ file_name: "notes.txt", is_open: false }]);
  await client.agents.folders.detach(folder.id, { agent_id: agent.id });
  expect([await search(), (await client.agents.folders.list(agent.id)).items]).toEqual([0, []]);
  await client.agents.folders.attach(folder.id, { agent_id: agent.id });
  expect(await search()).toBe(1);
});

test("what cannot be read is refused with its reason, and leaves nothing", async () => {
  const folder = await newFolder();
  const binary = client.folders.files.upload(folder.id, { file: await toFile(Buffer.from([0, 1, 2, 255]), "x.bin") });
  await expect(binary).rejects.toMatchObject({ status: 415 });
  await expect(upload(folder, "x", { name: "/etc/up.txt" })).rejects.toMatchObject({ status: 415 });
  await expect(upload(folder, "%PDF-1.4 cut", { as: "a.pdf" })).rejects.toMatchObject({ status: 415 });
  const full = await newFolder();
  await upload(full, "kept", { name: "a.md" });
  const worse = await toFile(Buffer.from([0, 255, 0, 254]), "a.md");
  const replacing = client.folders.files.upload(full.id, { file: worse, duplicate_handling: "replace" });
  await expect(replacing).rejects.toMatchObject({ status: 415 });
  const renamed = client.folders.files.upload(full.id, { file: worse, duplicate_handling: "suffix" });
  await expect(renamed).rejects.toMatchObject({ status: 415 });
  expect((await client.folders.files.list(full.id)).items).toMatchObject([{ file_name: "a.md", total_chunks: 1 }]);
  const json = await server.ask("POST", `/v1/folders/${folder.id}/upload`, { file: "x" });
  expect(json).toMatchObject({ status: 422, body: { detail: expect.stringContaining("multipart/form-data") } });
  expect(await namesOf(folder)).toEqual([]);
});

test("the tools for files come with the first folder, and files are opened and closed", async () => {
  const agent = await client.agents.create({ name: `reader-${(count += 1)}`, tools: ["memory_insert"] });
  const toolTypes = async () =>
    (await client.agents.tools.list(agent.id)).items
      .filter(({ tool_type: type }) => type === "letta_files_core")
      .map(({ name }) => name)
      .toSorted();
  const [folder, empty] = [await newFolder(), await newFolder()];
  const [first, second] = [await upload(folder, "One.\nTwo."), await upload(folder, "Three.", { as: "b.txt" })];
  await client.agents.folders.attach(empty.id, { agent_id: agent.id });
  expect(await toolTypes()).toEqual([]);
  await client.agents.folders.attach(folder.id, { agent_id: agent.id });
  expect(await toolTypes()).toEqual(["grep_files", "open_files", "semantic_search_files"]);
  expect(await client.agents.files.open(first.id!, { agent_id: agent.id })).toEqual([]);
  await client.agents.files.open(second.id!, { agent_id: agent.id });
  const listed = await client.agents.files.list(agent.id);
  expect(listed.files).toMatchObject([
    { file_name: "b.txt", is_open: true, visible_content: "Three.", folder_name: folder.name },
    { file_id: first.id, is_open: true, visible_content: "One.\nTwo.", start_line: 1, end_line: 2 },
  ]);
  await client.agents.files.close(second.id!, { agent_id: agent.id });
  expect((await client.agents.files.list(agent.id, { is_open: false })).files).toMatchObject([
    { file_name: "b.txt", visible_content: null, last_accessed_at: null },
  ]);
  expect(await client.agents.files.closeAll(agent.id)).toEqual(["notes.txt"]);
  const unknown = "file-00000000-0000-4000-8000-000000000000";
  const refused = [
    client.agents.files.open(unknown, { agent_id: agent.id }),
    client.agents.files.close(unknown, { agent_id: agent.id }),
  ];
  for (const attempt of refused) await expect(attempt).rejects.toMatchObject({ status: 404 });
  await client.agents.folders.detach(folder.id, { agent_id: agent.id });
  expect(await toolTypes()).toEqual([]);
});

test("what belongs to another user does not exist", async () => {
  const folder = await newFolder();
  const file = await upload(folder, "mine");
  const { secret } = await server.host.keys.create("ben", { scope: "admin" });
  const ben = new Letta({ baseURL: server.url, apiKey: secret, maxRetries: 0 });
  const own = await ben.agents.create({ name: "ben's" });
  const refused = [
    ben.folders.retrieve(folder.id),
    ben.folders.update(folder.id, { description: "x" }),
    ben.folders.delete(folder.id),
    ben.folders.files.list(folder.id),
    ben.folders.files.retrieve(file.id, { folder_id: folder.id }),
    ben.folders.files.delete(file.id, { folder_id: folder.id }),
    ben.folders.files.upload(folder.id, { file: await toFile(Buffer.from("x"), "x.txt") }),
    ben.folders.agents.list(folder.id),
    ben.agents.folders.attach(folder.id, { agent_id: own.id }),
    ben.agents.files.open(file.id!, { agent_id: own.id }),
    ben.agents.create({ name: "x", folder_ids: [folder.id] }),
  ];
  for (const attempt of refused) await expect(attempt).rejects.toMatchObject({ status: 404 });
  expect((await ben.folders.list()).items).toEqual([]);
  expect((await ben.agents.list()).items.map(({ id }) => id)).toEqual([own.id]);
  expect(await namesOf(folder)).toEqual(["notes.txt"]);
});
