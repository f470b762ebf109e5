// Reports of evaluations in a browser: opened from files, compared, refused, and sent nowhere.
import { reportOf } from "../../src/surfaces/eval/report.ts";
import { summarize, type QuestionResult } from "../../src/surfaces/eval/results.ts";
import { questionResult } from "../support/question-result.ts";
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openBrowserScene());

const hostile = `<img src=x onerror="document.title='run'">`;

function results(correct: (at: number, run: number) => boolean): readonly QuestionResult[] {
  return Array.from({ length: 40 }, (_, each) => {
    const [at, run] = [each % 20, Math.floor(each / 20)];
    return questionResult({
      category: ["facts", "times", hostile][at % 3]!,
      question: `Question ${at}? ${hostile}`,
      run,
      reciprocalRank: 1,
      answer: `Answer ${at} ${hostile}`,
      isCorrect: correct(at, run),
      isWrongAccepted: false,
      isAnswerable: at !== 3,
    });
  });
}

const models = { answers: "model/a", judges: "model/b" };
const first = reportOf(
  results((at, run) => (at + run) % 4 !== 0),
  { version: "1.0.0", models, runs: 2 },
);
const second = reportOf(
  results((at) => at % 2 === 0),
  { version: "1.1.0", models: { ...models, answers: hostile }, runs: 2 },
);
const searches = reportOf(
  results(() => true).map((each) => ({ ...each, run: 0, isCorrect: null, answer: null })),
  { version: "1.1.0", models: null, runs: 1 },
);

const file = (name: string, value: unknown) => ({
  name,
  mimeType: "application/json",
  buffer: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
});

test("reports are compared by figures, bars and failed questions, and are sent nowhere", async () => {
  const page = await scene.open();
  await page.getByRole("heading", { name: "Agents" }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await page.getByRole("heading", { name: "Evaluations" }).waitFor();
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page
    .getByLabel("Reports", { exact: true })
    .setInputFiles([file("before.json", first), file(`${hostile}.json`, second)]);
  const answers = page.getByRole("region", { name: "Answers of models" });
  const table = answers.getByRole("table");
  await table.getByText("before.json").waitFor();
  const { score } = summarize(first.results);
  expect(await table.getByRole("row").nth(1).innerText()).toContain(`${score!.toFixed(3)}\t0.750–0.750`);
  expect(await answers.locator(".eval-bars > div").count()).toBe(4);
  expect(await answers.locator(".spread").count()).toBe(8);
  await answers.getByText("10 answers of before.json failed").click();
  await answers.getByRole("list", { name: "Questions that failed" }).getByText("Answer 4").first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);

  await page.getByLabel("Reports", { exact: true }).setInputFiles(file("search.json", searches));
  await page.getByRole("region", { name: "Searches" }).getByText("Recall@10 by category").waitFor();
  await table.getByRole("button", { name: "Close" }).first().click();
  await table.getByText("before.json").waitFor({ state: "detached" });
  expect(await table.getByText("version 1.1.0").count()).toBe(1);
  expect(requests).toEqual([]);
  expect(await page.title()).toBe("Evaluations · Palimpsest");
});

test("a file that is no report is refused, and the others stay", async () => {
  const page = await scene.open("#/evals");
  await page
    .getByLabel("Reports", { exact: true })
    .setInputFiles([file("good.json", searches), file("notes.json", "hello")]);
  await page.getByRole("alert").getByText("notes.json: The file is not JSON. Expected the `report.json`").waitFor();
  await page.getByRole("table").getByText("good.json").waitFor();
  await page.getByLabel("Reports", { exact: true }).setInputFiles(file("other.json", { total: 1 }));
  await page.getByRole("alert").getByText("its field `version` is missing or invalid").waitFor();
  expect(await page.getByRole("table").getByText("good.json").count()).toBe(1);
  expect(await accessibilityFaults(page)).toEqual([]);
});
