// Long lists in a browser: how fast the server answers, when the first rows are there, and how many frames a second scrolling
// has. INSPECTOR_SCALE=full measures 10,000 messages and 100,000 passages, prints the figures and judges them; otherwise 2,000 of each,
// and what no busy machine changes: the list moves as it is asked to, and few rows are in the page.
import os from "node:os";
import type { Page } from "playwright-core";
import { type BrowserScene, openBrowserScene } from "./browser-scene.ts";

const isFull = process.env["INSPECTOR_SCALE"] === "full";
const messages = isFull ? 10_000 : 2000;
const passages = isFull ? 100_000 : 2000;
const maxRows = 200;

let scene: BrowserScene;
let conversation: string;

beforeAll(
  async () => {
    scene = await openBrowserScene();
    await scene.runtime.agents.create({ name: "main", persona: "I am one.", human: "" });
    const at = Date.parse("2026-01-01T00:00:00Z");
    const thread = Array.from({ length: messages }, (_, index) => ({
      role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
      text: `message ${index} ${"words ".repeat(index % 40)}`,
      at: new Date(at + index * 1000),
    }));
    ({ id: conversation } = await scene.runtime.conversations.import("main", { title: "long", messages: thread }));
    for (let from = 0; from < passages; from += 2000) {
      const batch = Array.from({ length: 2000 }, (_, index) => ({
        text: `passage ${from + index} ${"of some length ".repeat((from + index) % 20)}`,
        tags: [`tag-${index % 7}`],
        at: new Date(at + (from + index) * 1000),
      }));
      await scene.runtime.archival.import("main", batch);
    }
  },
  isFull ? 900_000 : 240_000,
);
afterAll(() => scene.close());

/** Milliseconds until the whole answer is there, the best of five: what others run on the machine does not count. */
async function answerMs(path: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const began = performance.now();
    const response = await fetch(`${scene.url}/api${path}`, { headers: { authorization: `Bearer ${scene.key}` } });
    await response.text();
    expect(response.status).toBe(200);
    times.push(performance.now() - began);
  }
  return Math.min(...times);
}

const watchRows = `(() => {
  const look = () => {
    if (document.querySelector(".virtual-list [data-item]") === null) requestAnimationFrame(look);
    else window.firstRowAt = performance.now();
  };
  requestAnimationFrame(look);
})()`;

/** Opens a list, and returns the page with the milliseconds from the server's answer to the first rows. */
async function openList(place: string, request: RegExp) {
  const page = await scene.open();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.addInitScript(watchRows);
  await page.goto(`${scene.url}/inspect?again${place}`);
  await page.locator(".virtual-list [data-item]").first().waitFor();
  await page.waitForTimeout(100);
  const answeredAt = `performance.getEntriesByType("resource")
    .filter(({ name }) => new RegExp(${JSON.stringify(request.source)}).test(name))[0].responseEnd`;
  const rowsMs = Number(await page.evaluate(`window.firstRowAt - ${answeredAt}`));
  return { page, rowsMs };
}

interface TraceEvent {
  readonly name: string;
  readonly ts: number;
}

interface Scrolling {
  /** A second, from the browser's trace. */
  readonly frames: number;
  /** The share of the wanted distance by which the list moved. */
  readonly moved: number;
}

/** Scrolls a list for six seconds, beyond the rows of its first page. */
async function scroll(page: Page, direction: 1 | -1): Promise<Scrolling> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, {
    categories: ["devtools.timeline", "disabled-by-default-devtools.timeline.frame"],
  });
  const [ms, moved] = (await page.evaluate(`new Promise((done) => {
    const list = document.querySelector(".virtual-list");
    const [began, from] = [performance.now(), list.scrollTop];
    let wanted = 0;
    const step = () => {
      list.scrollTop += ${direction * 50};
      wanted += ${direction * 50};
      const ms = performance.now() - began;
      if (ms < 6000) requestAnimationFrame(step);
      else done([ms, (list.scrollTop - from) / wanted]);
    };
    requestAnimationFrame(step);
  })`)) as readonly [number, number];
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const frames = trace.traceEvents.filter(({ name }) => name === "DrawFrame").length;
  return { frames: frames / (ms / 1000), moved };
}

/** Rows that the list has made, of all that there are. */
const rowsInPage = async (page: Page): Promise<number> => page.locator(".virtual-list [data-item]").count();

/** In full, prints figures and judges the two that a user notices. */
function judge(
  name: string,
  answers: Readonly<Record<string, number>>,
  { rowsMs, frames }: { readonly rowsMs: number; readonly frames: number },
): void {
  if (!isFull) return;
  const [load = 0] = os.loadavg();
  const figures = { ...answers, "rows ms": rowsMs, "frames/s": frames };
  const text = Object.entries(figures).map(([key, value]) => `${key} ${value.toFixed(1)}`);
  const machine = `load ${load.toFixed(1)}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}`;
  process.stdout.write(`scale: ${name}: ${text.join(", ")} (${machine})\n`);
  expect(rowsMs).toBeLessThan(1000);
  expect(frames).toBeGreaterThan(50);
}

test("a long thread answers, appears and scrolls without stutter", async () => {
  const path = `/agents/main/conversations/${conversation}/messages?limit=60`;
  const ms = await answerMs(path);
  const { page, rowsMs } = await openList(`#/agents/main/conversations/${conversation}`, /messages\?/u);
  await page.getByText(`message ${messages - 1}`).waitFor();
  await page.waitForLoadState("networkidle");
  const { frames } = await scroll(page, -1);
  judge(`${messages} messages`, { "answer ms": ms }, { rowsMs, frames });
  expect(await rowsInPage(page)).toBeLessThan(maxRows);
});

test("a long archive answers by page at its beginning and its end, appears and scrolls", async () => {
  const path = "/agents/main/archive?limit=100";
  const rows = await scene.runtime.archival.list("main", { order: "oldest", limit: 101 });
  const [first, last] = [await answerMs(path), await answerMs(`${path}&after=${rows[100]!.id}`)];
  const { page, rowsMs } = await openList("#/agents/main/search", /archive\?/u);
  await page.getByText(`passage ${passages - 1} `).waitFor();
  await page.waitForLoadState("networkidle");
  const { frames, moved } = await scroll(page, 1);
  judge(`${passages} passages`, { "first page ms": first, "last page ms": last }, { rowsMs, frames });
  expect(moved).toBeGreaterThan(0.9);
  expect(await rowsInPage(page)).toBeLessThan(maxRows);
});
