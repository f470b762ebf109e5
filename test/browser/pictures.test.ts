// Writes pictures of every view, if UPDATE_PICTURES names the folder to write to: to review them, and those of
// docs/inspector.md.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type Ada, createAda } from "./ada.ts";
import { type BrowserScene, openBrowserScene } from "./browser-scene.ts";
import { inspectorViews, openView } from "./inspector-views.ts";

const folder = process.env["UPDATE_PICTURES"];
const sizes = [
  { name: "wide", width: 1280, height: 800 },
  { name: "middle", width: 768, height: 1024 },
  { name: "narrow", width: 320, height: 700 },
] as const;
const themes = ["light", "dark"] as const;

const whenAsked = folder === undefined ? describe.skip : describe;

whenAsked("pictures (only if UPDATE_PICTURES names a folder)", () => {
  let scene: BrowserScene;
  let ada: Ada;
  beforeAll(async () => {
    scene = await openBrowserScene();
    ada = await createAda(scene.runtime);
    mkdirSync(folder!, { recursive: true });
  });
  afterAll(() => scene.close());

  it.each(sizes.flatMap((size) => themes.map((theme) => ({ ...size, theme }))))(
    "$name, $theme",
    async ({ name, width, height, theme }) => {
      for (const view of inspectorViews) {
        const page = await openView(scene, { view, ada, width, height, theme });
        await page.screenshot({ path: path.join(folder!, `${view.name}-${name}-${theme}.png`) });
        await page.close();
      }
    },
  );
});
