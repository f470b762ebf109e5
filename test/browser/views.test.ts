// Every view as assistive technology reads it, compared with snapshots in test/browser/snapshots/ (UPDATE_SNAPSHOTS=1 writes
// them), and at the narrowest and the widest screen.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Ada, createAda } from "./ada.ts";
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";
import { inspectorViews, openView } from "./inspector-views.ts";
import { useScene } from "../support/use-scene.ts";

const folder = fileURLToPath(new URL("./snapshots/", import.meta.url));

const scene = useScene(() => openBrowserScene());
let ada: Ada;

beforeAll(async () => (ada = await createAda(scene.runtime)));

const views = inspectorViews.map((view) => [view.name, view] as const);

/** Without what differs between two runs: ids, distances of time, scores and the beginnings of keys. */
const stable = (text: string): string =>
  text
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu, "ID")
    .replaceAll(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}/gu, "TIME")
    .replaceAll(/just now|\d+ \w+ ago|in \d+ \w+|yesterday|tomorrow|next \w+/gu, "TIME")
    .replaceAll(/\b[A-Z][a-z]{2} \d{1,2}, \d{4}\b/gu, "DAY")
    .replaceAll(/\bpk_[\w-]+…?/gu, "KEY")
    .replaceAll(/-?\d+\.\d+/gu, "N");

/** What shows the size of a request; by how many tokens an id in it is estimated depends on its random digits. */
const withTokens = new Set(["overview", "window", "conversation"]);

const withoutCounts = (text: string): string =>
  text.replaceAll(/\b\d[\d,]{2,}\b|(?:< )?\b\d+(?= (?:%|tokens|<))|(?<=cell ")\d+/gu, "COUNT");

test.each(views)("%s", async (name, view) => {
  const page = await openView(scene, { view, ada });
  const read = stable(await page.locator("main").ariaSnapshot());
  const found = withTokens.has(name) ? withoutCounts(read) : read;
  const file = path.join(folder, `${name}.txt`);
  if (process.env["UPDATE_SNAPSHOTS"] === "1") {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `${found}\n`);
  }
  expect(`${found}\n`).toBe(readFileSync(file, "utf8"));
  expect(await accessibilityFaults(page)).toEqual([]);
});

test.each(views)("%s fits on 320 and on 3,840 pixels, in both themes", async (_, view) => {
  for (const [width, theme] of [
    [320, "dark"],
    [3840, "light"],
  ] as const) {
    const page = await openView(scene, { view, ada, width, height: 800, theme });
    const isWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    expect(await page.evaluate(isWide)).toBe(false);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.close();
  }
});
