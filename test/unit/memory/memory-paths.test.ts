// The paths of memory as files.
import { createPaths, tagsOfFile } from "../../../src/memory/as-files/memory-paths.ts";

test("each passage has its own path, also if a passage has the path that another one would get", () => {
  const at = new Date(0);
  const fileOf = createPaths([]);
  const named = (path: string, id: string) => fileOf({ id, text: "", tags: tagsOfFile(path), at }).path;
  expect([
    named("notes.txt", "00000001"),
    named("notes~00000003.txt", "00000002"),
    named("notes.txt", "00000003"),
    named("notes.txt", "00000003"),
  ]).toEqual([
    "notes.txt",
    "notes~00000003.txt",
    "notes~00000003~00000003.txt",
    "notes~00000003~00000003~00000003.txt",
  ]);
});
