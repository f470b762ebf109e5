// Tokens of an agent over time, by model.
import { appendAll } from "../../../base/lists.ts";
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { dollarsOf, type ModelPrice } from "../../../base/message/message.ts";
import { countText, dollarText, momentText, numberText, percentText, shortNumber } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { type ModelSum, sumsByModel, type UsageDay, usageDays, type UsageStep } from "./usage-days.ts";

/** Model calls per page; one page is loaded at first. */
const pageSize = 1000;

export function CostsView({ agent }: { readonly agent: string }) {
  const { client } = useSession();
  const [pages, setPages] = useState(1);
  const steps = useLoaded(
    async (signal) => {
      const all: UsageStep[] = [];
      for (let page = 0; page < pages; page += 1) {
        const last = all.at(-1);
        const query = { limit: pageSize, order: "newest" as const, ...(last === undefined ? {} : { after: last.id }) };
        const found = await client.call("GET /agents/:agent/steps", { params: { agent }, query, signal });
        appendAll(all, found);
        if (found.length < pageSize) break;
      }
      const models = [...new Set(all.map(({ model }) => model))];
      const prices = models.length === 0 ? [] : await client.call("GET /prices", { query: { model: models }, signal });
      return { steps: all, prices };
    },
    [client, agent, pages],
  );
  return (
    <>
      <h1>Costs and tokens</h1>
      <Shown loaded={steps}>
        {({ steps: found, prices }) =>
          found.length === 0 ? (
            <p class="note">No model was called yet.</p>
          ) : (
            <>
              <p class="note">
                {countText(found.length, "model call")}
                {found.length >= pages * pageSize ? `, since ${momentText(found.at(-1)?.at ?? "")}` : ""}
              </p>
              <DayChart days={usageDays(found)} />
              <ModelTable steps={found} prices={prices} />
              {found.length >= pages * pageSize ? (
                <button type="button" onClick={() => setPages(pages + 4)}>
                  Read older calls
                </button>
              ) : null}
            </>
          )
        }
      </Shown>
    </>
  );
}

const height = 120;
const dayWidth = 12;
/** Minimum number of columns, so that those of a few days are not too broad. */
const minColumns = 30;
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** A column for each day: cached, new and output tokens. */
function DayChart({ days }: { readonly days: readonly UsageDay[] }) {
  const most = days.reduce((found, { tokens }) => Math.max(found, tokens), 1);
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${Math.max(minColumns, days.length) * dayWidth} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Tokens by day, at most ${numberText(most)}`}
      >
        {days.map(({ at, models, tokens }, index) => {
          const sum = (name: "inputTokens" | "cachedInputTokens" | "outputTokens"): number =>
            models.reduce((total, each) => total + each[name], 0);
          const cached = sum("cachedInputTokens");
          const bars = [
            ["usage-cached", cached],
            ["usage-new", sum("inputTokens") - cached],
            ["usage-out", sum("outputTokens")],
          ] as const;
          let y = height;
          return (
            <g key={at}>
              <title>{`${day.format(at)}: ${numberText(tokens)} tokens`}</title>
              {bars.map(([name, value]) => {
                const size = (value / most) * height;
                y -= size;
                return (
                  <rect key={name} class={name} x={index * dayWidth + 1} y={y} width={dayWidth - 2} height={size} />
                );
              })}
            </g>
          );
        })}
      </svg>
      <figcaption class="note">
        <span>{first === undefined || last === undefined ? "" : day.formatRange(first.at, last.at)}</span>
        <span>
          <span class="swatch usage-cached" /> cached <span class="swatch usage-new" /> new{" "}
          <span class="swatch usage-out" /> output
        </span>
      </figcaption>
    </figure>
  );
}

interface ModelTableProps {
  readonly steps: readonly UsageStep[];
  readonly prices: CallResult<"GET /prices">;
}

function ModelTable({ steps, prices }: ModelTableProps) {
  return (
    <div class="table-frame" tabIndex={0} role="group" aria-label="Tokens by model">
      <table>
        <thead>
          <tr>
            <th>Model</th>
            <th class="number">Calls</th>
            <th class="number">Input</th>
            <th class="number">Cached</th>
            <th class="number">Output</th>
            <th class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          {sumsByModel(steps).map((sum) => (
            <ModelRow
              key={sum.model}
              sum={sum}
              price={prices.find(({ model }) => model === sum.model)?.price ?? null}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ModelRowProps {
  readonly sum: ModelSum;
  readonly price: ModelPrice | null;
}

function ModelRow({ sum, price }: ModelRowProps) {
  const { model, calls, inputTokens, cachedInputTokens, outputTokens } = sum;
  return (
    <tr>
      <td>
        <PlainText text={model} length={100} isInline />
      </td>
      <td class="number">{numberText(calls)}</td>
      <td class="number" title={numberText(inputTokens)}>
        {shortNumber(inputTokens)}
      </td>
      <td class="number">{percentText(inputTokens === 0 ? 0 : cachedInputTokens / inputTokens)}</td>
      <td class="number" title={numberText(outputTokens)}>
        {shortNumber(outputTokens)}
      </td>
      <td class="number" title={price?.listedAt === undefined ? undefined : `By the list prices of ${price.listedAt}`}>
        {price === null ? "no price" : dollarText(dollarsOf(sum, price))}
      </td>
    </tr>
  );
}
