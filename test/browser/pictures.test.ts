// Writes the pictures of docs/inspector.md, if UPDATE_PICTURES names the folder to write to.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type Ada, createAda } from "./ada.ts";
import { type BrowserScene, openBrowserScene } from "./browser-scene.ts";

const folder = process.env["UPDATE_PICTURES"];
const sizes = [
  { name: "wide", width: 1280, height: 800 },
  { name: "narrow", width: 390, height: 844 },
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

  const placesOf = (): readonly (readonly [name: string, place: string])[] => [
    ["overview", ""],
    ["memory", `#/agents/${ada.agentId}/memory/human`],
    ["window", `#/agents/${ada.agentId}/window/${ada.conversationId}`],
    ["conversation", `#/agents/${ada.agentId}/conversations/${ada.conversationId}`],
    ["search", `#/agents/${ada.agentId}/search?query=where+is+the+boat`],
    ["costs", `#/agents/${ada.agentId}/costs`],
    ["sources", `#/agents/${ada.agentId}/sources`],
  ];

  it.each(sizes.flatMap((size) => themes.map((theme) => ({ ...size, theme }))))(
    "$name, $theme",
    async ({ name, width, height, theme }) => {
      for (const [view, place] of placesOf()) {
        const page = await scene.open(place, { width, height, theme });
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.waitForLoadState("networkidle");
        await page.screenshot({ path: path.join(folder!, `${view}-${name}-${theme}.png`) });
        await page.close();
      }
    },
  );
});
