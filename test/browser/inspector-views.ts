// Every view of the inspector, as ada's agent fills it.
// Invariant: `openView` returns when the view has its content.
import type { Page } from "playwright-core";
import { reportOf } from "../../src/surfaces/eval/report.ts";
import { questionResult } from "../support/question-result.ts";
import type { Ada } from "./ada.ts";
import type { BrowserScene, OpenOptions } from "./browser-scene.ts";

export interface InspectorView {
  readonly name: string;
  readonly place: (ada: Ada) => string;
  readonly fill?: (page: Page) => Promise<void>;
}

const ofAgent = (view: string) => (ada: Ada) => `#/agents/${ada.agentId}/${view}`;

export const inspectorViews: readonly InspectorView[] = [
  { name: "overview", place: () => "" },
  { name: "memory", place: ofAgent("memory/human") },
  { name: "window", place: (ada) => `#/agents/${ada.agentId}/window/${ada.conversationId}` },
  { name: "conversation", place: (ada) => `#/agents/${ada.agentId}/conversations/${ada.conversationId}` },
  { name: "exchanges", place: () => "#/agents/books/exchanges" },
  { name: "archive", place: ofAgent("search") },
  { name: "search", place: ofAgent("search?query=where+is+the+boat") },
  { name: "recall", place: ofAgent("search?kind=recall&query=where+is+the+boat") },
  { name: "costs", place: ofAgent("costs") },
  { name: "sources", place: ofAgent("sources") },
  { name: "tools", place: ofAgent("tools") },
  { name: "consolidations", place: (ada) => `#/agents/${ada.otherId}/consolidations` },
  { name: "schedules", place: ofAgent("schedules") },
  // One setting, so that the snapshot does not change with each new one.
  { name: "settings", place: ofAgent("settings"), fill: (page) => page.getByLabel("Find a setting").fill("max steps") },
  { name: "server", place: () => "#/health" },
  { name: "evaluations", place: () => "#/evals", fill: openReports },
];

interface OpenedView extends OpenOptions {
  readonly view: InspectorView;
  readonly ada: Ada;
}

export async function openView(scene: BrowserScene, { view, ada, ...options }: OpenedView): Promise<Page> {
  const page = await scene.open(view.place(ada), options);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  await view.fill?.(page);
  return page;
}

/** Two reports of the answers of models: the second one is better. */
async function openReports(page: Page): Promise<void> {
  const files = [
    reportFile("before.json", { version: "1.0.0", every: 3 }),
    reportFile("after.json", { version: "1.1.0", every: 5 }),
  ];
  await page.getByLabel("Reports", { exact: true }).setInputFiles(files);
  await page.getByRole("table").getByText("after.json").waitFor();
}

/** In run `r`, each `every`-th question fails, beginning with question `r`. */
function reportFile(name: string, { version, every }: { readonly version: string; readonly every: number }) {
  const results = Array.from({ length: 48 }, (_, each) => {
    const [at, run] = [each % 24, Math.floor(each / 24)];
    return questionResult({
      category: ["facts", "times", "changes", "not answerable"][at % 4]!,
      question: `Where was the boat in week ${at + 1}?`,
      run,
      reciprocalRank: 1,
      answer: `At pier ${at % 3}.`,
      isCorrect: at % every !== run,
      isWrongAccepted: false,
      isAnswerable: at % 4 !== 3,
    });
  });
  const report = reportOf(results, { version, models: { answers: "model/small", judges: "model/large" }, runs: 2 });
  return { name, mimeType: "application/json", buffer: Buffer.from(JSON.stringify(report)) };
}
