// A server with agents, and the inspector in a real browser.
// Invariant: every request of the page to another host, every violation of its security policy, every error of its scripts and
// every dialog is counted, and `close` expects none.
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import type { HostOptions } from "../../src/runtime/compose/compose.ts";
import type { Host } from "../../src/runtime/host.ts";
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import { askedModel, careful, otherModel } from "../support/asked-model.ts";
import { tidyingModel } from "../support/consolidation-calls.ts";
import { serveTestHost } from "../support/served-host.ts";

export interface BrowserScene {
  readonly host: Host;
  readonly url: string;
  /** The runtime of "ada", whose key the pages have. */
  readonly runtime: UserRuntime;
  readonly key: string;
  /** Opens the inspector at a place, such as `#/health`, with a key that is in the tab already. */
  open(place?: string, options?: OpenOptions): Promise<Page>;
  /** Forgets what was counted, after a test that causes it. */
  forgetFaults(): void;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Default: that of ada; null: none. */
  readonly key?: string | null;
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
}

/** Where Debian's packages put the browser, or `CHROMIUM`. */
const executablePath =
  process.env["CHROMIUM"] ?? (process.platform === "linux" ? "/usr/bin/chromium-headless-shell" : "");

export const launchOptions = { executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] };

export async function openBrowserScene(
  options: Partial<HostOptions> = {},
  serving: Parameters<typeof serveTestHost>[1] = {},
): Promise<BrowserScene> {
  const scripted = {
    model: askedModel.name,
    models: [askedModel, otherModel, tidyingModel],
    tools: { add: [careful] },
  };
  const served = await serveTestHost({ ...scripted, ...options }, serving);
  const { host, url, key } = served;
  const faults: string[] = [];
  const browser = await chromium.launch(launchOptions);
  return {
    host,
    url,
    runtime: host.forUser("ada"),
    key,
    async open(at = "", { key: given = key, ...look } = {}) {
      const page = await newPage(browser, look);
      watch(page, url, faults);
      // Before the scripts of the page, as if the tab had asked for the key earlier.
      if (given !== null)
        await page.addInitScript(`sessionStorage.setItem("palimpsest-key", ${JSON.stringify(given)})`);
      await page.goto(`${url}/inspect${at}`);
      return page;
    },
    forgetFaults() {
      faults.length = 0;
      served.failures.length = 0;
    },
    async close() {
      await browser.close();
      // Before the end of the server, which fails requests of the pages that were open.
      const found = [...faults, ...served.failures];
      await served.close();
      expect(found).toEqual([]);
    },
  };
}

async function newPage(browser: Browser, { width = 1280, height = 800, theme = "light" }: OpenOptions): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

function watch(page: Page, url: string, faults: string[]): void {
  const { host } = new URL(url);
  page.on("request", (request) => {
    const asked = request.url();
    if (URL.canParse(asked) && new URL(asked).host !== host) faults.push(`request: ${asked}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    const text = message.text();
    // Refused requests are logged as errors too; views show them.
    if (message.type() === "error" && !text.startsWith("Failed to load resource")) faults.push(`console: ${text}`);
  });
}

interface AxeViolation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Returns the serious faults that axe finds, as text. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate("axe.run(document).then(({ violations }) => violations)");
  return (found as readonly AxeViolation[])
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
