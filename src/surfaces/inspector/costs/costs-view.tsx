// Shows the tokens of an agent over time, by model.
import { readPages } from "../../../base/lists.ts";
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { dollarsOf, type ModelPrice } from "../../../base/message/message.ts";
import { Choices } from "../parts/choices.tsx";
import { ColumnChart } from "../parts/column-chart.tsx";
import { dollarText, momentText, numberText, percentText, shortNumber } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { shade } from "../parts/shade.ts";
import { Stats } from "../parts/stats.tsx";
import { Table } from "../parts/table.tsx";
import { Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { callsOfLast, type ModelSum, sumsByModel, type UsageDay, usageDays, type UsageStep } from "./usage-days.ts";

/** Number of model calls that are loaded at first. */
const firstCalls = 1000;

/** Numbers of days to choose from. */
const periods = [7, 30, 90].map((days) => [days, `${days} days`] as const);

export function CostsView({ agent }: { readonly agent: string }) {
  const { client } = useSession();
  const [limit, setLimit] = useState(firstCalls);
  const [days, setDays] = useState(30);
  const steps = useLoaded(
    async (signal) => {
      const all = await readPages(limit, (page) => {
        const query = { ...page, order: "newest" } as const;
        return client.call("GET /agents/:agent/steps", { params: { agent }, query, signal });
      });
      const models = [...new Set(all.map(({ model }) => model))];
      const prices = models.length === 0 ? [] : await client.call("GET /prices", { query: { model: models }, signal });
      return { steps: all, prices };
    },
    [client, agent, limit],
  );
  return (
    <>
      <div class="title-row">
        <h1>Costs and tokens</h1>
        <Choices legend="Period" choices={periods} chosen={days} onChoose={setDays} />
      </div>
      <Shown loaded={steps}>
        {({ steps: found, prices }) => {
          const shown = callsOfLast(days, found, new Date());
          const isCut = found.length >= limit && shown.length === found.length;
          if (shown.length === 0)
            return <p class="note">No model was called {found.length === 0 ? "yet" : `in the last ${days} days`}.</p>;
          return (
            <>
              {isCut ? <p class="note">Since {momentText(shown.at(-1)?.at ?? "")}</p> : null}
              <Totals steps={shown} prices={prices} />
              <DayChart days={usageDays(shown)} />
              <ModelTable steps={shown} prices={prices} />
              <p class="note">Without calls that summarize or tidy memory, or whose usage was not reported.</p>
              {isCut ? (
                <button type="button" onClick={() => setLimit(limit + 4 * firstCalls)}>
                  Read older calls
                </button>
              ) : null}
            </>
          );
        }}
      </Shown>
    </>
  );
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** Shows a column for each day: cached, new and output tokens. */
function DayChart({ days }: { readonly days: readonly UsageDay[] }) {
  const columns = days.map(({ at, models, tokens }) => {
    const sum = (name: "inputTokens" | "cachedInputTokens" | "outputTokens"): number =>
      models.reduce((total, each) => total + each[name], 0);
    const [cached, output] = [sum("cachedInputTokens"), sum("outputTokens")];
    const fresh = sum("inputTokens") - cached;
    return {
      key: String(at),
      text: `${day.format(at)}: ${numberText(tokens)} tokens (${numberText(cached)} cached, ${numberText(fresh)} new, ${numberText(output)} output)`,
      bars: [
        { name: "usage-cached", value: cached },
        { name: "usage-new", value: fresh },
        { name: "usage-output", value: output },
      ],
    };
  });
  const most = days.reduce((found, { tokens }) => Math.max(found, tokens), 1);
  return (
    <ColumnChart
      label={`Tokens by day, at most ${numberText(most)}. The arrow keys move from day to day.`}
      columns={columns}
      most={most}
      ends={[day.format(days[0]?.at), day.format(days.at(-1)?.at)]}
      note={["cached", "new", "output"].map((name) => (
        <span key={name}>
          <span class="swatch shade" style={shade(`usage-${name}`)} /> {name}
        </span>
      ))}
    />
  );
}

function Totals({ steps, prices }: ModelTableProps) {
  const sums = sumsByModel(steps);
  const sum = (of: (each: ModelSum) => number): number => sums.reduce((total, each) => total + of(each), 0);
  const input = sum(({ inputTokens }) => inputTokens);
  const output = sum(({ outputTokens }) => outputTokens);
  const known = sums.flatMap((each) => {
    const price = priceOf(prices, each.model);
    return price === null ? [] : [dollarsOf(each, price)];
  });
  return (
    <Stats
      label="Totals"
      figures={[
        { name: "Model calls", value: numberText(steps.length) },
        { name: "Input", value: shortNumber(input), title: `${numberText(input)} tokens` },
        { name: "Cached", value: percentText(input === 0 ? 0 : sum((each) => each.cachedInputTokens) / input) },
        { name: "Output", value: shortNumber(output), title: `${numberText(output)} tokens` },
        {
          name: "Cost",
          value: known.length === 0 ? "no price" : dollarText(known.reduce((total, cost) => total + cost, 0)),
          title: known.length < sums.length ? "Without the models that have no price" : undefined,
        },
      ]}
    />
  );
}

function priceOf(prices: CallResult<"GET /prices">, name: string): ModelPrice | null {
  return prices.find(({ model }) => model === name)?.price ?? null;
}

interface ModelTableProps {
  readonly steps: readonly UsageStep[];
  readonly prices: CallResult<"GET /prices">;
}

function ModelTable({ steps, prices }: ModelTableProps) {
  return (
    <Table
      label="Tokens by model"
      head={["Model", "Calls", "Input", "Cached", "Output", "Cost"].map((title) => (
        <th key={title} class={title === "Model" ? "" : "number"}>
          {title}
        </th>
      ))}
    >
      {sumsByModel(steps).map((sum) => (
        <ModelRow key={sum.model} sum={sum} price={priceOf(prices, sum.model)} />
      ))}
    </Table>
  );
}

function ModelRow({ sum, price }: { readonly sum: ModelSum; readonly price: ModelPrice | null }) {
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
