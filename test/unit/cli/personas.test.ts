// The texts that ship: short enough to leave room in a module, and free of anything that memory cannot hold.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { codePointLength } from "../../../src/base/code-points.ts";
import { packageRoot } from "../../../src/base/package-root.ts";
import { stripControl } from "../../../src/base/terminal-text.ts";

const folder = path.join(packageRoot(), "personas");
const files = ["persona", "human"].flatMap((kind) =>
  readdirSync(path.join(folder, kind)).map((file) => path.join(kind, file)),
);

describe("starter texts", () => {
  it("contain the two defaults", () => {
    expect(files).toEqual(
      expect.arrayContaining([path.join("persona", "companion.md"), path.join("human", "unknown.md")]),
    );
  });

  it.each(files)("%s is plain text of less than 1,200 characters", (file) => {
    const text = readFileSync(path.join(folder, file), "utf8");
    expect(codePointLength(text)).toBeLessThan(1200);
    expect(stripControl(text)).toBe(text);
    expect(text.trim()).not.toBe("");
  });

  it.each(files.filter((file) => file.startsWith("persona")))(
    "%s contains its name, so that it can be changed",
    (file) => {
      expect(readFileSync(path.join(folder, file), "utf8")).toMatch(/^My name is \p{Lu}\w+/u);
    },
  );
});
