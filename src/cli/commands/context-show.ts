// `palimpsest context`.
import type { Command } from "../command.ts";
import { alignColumns } from "../align-columns.ts";
import { storeFlags } from "../flags.ts";
import { stepShape } from "../listing-shapes.ts";
import { minute } from "../listing-texts.ts";
import { optionalNumberFlag } from "../number-flag.ts";
import { printResult } from "../print.ts";
import type { Agent, LoggedStep, WindowReport } from "../runtime-records.ts";

export const contextShow: Command = {
  words: ["context"],
  usage: "",
  summary: "show what stands in the window of a conversation, and what was left out",
  flags: ["agent", "resume", "step", "json", ...storeFlags],
  takes: { least: 0, most: 0 },
  async run(call) {
    const id = call.line.texts.resume;
    const ordinal = optionalNumberFlag(call.line, "step", { least: 1, most: 999_999_999 });
    const agents = (await call.runtime()).agents;
    const agent = await agents.open(call.agent, { conversation: id === undefined ? "last" : { id } });
    const step = ordinal === undefined ? (await agent.steps(1))[0] : await agent.step(ordinal);
    const report = ordinal === undefined ? agent.context().report : step?.report;
    // A step that was asked for and is not there was refused by now.
    if (report === undefined) return 1;
    printResult(call, {
      json: { conversation_id: agent.conversationId, report, step: step === undefined ? null : stepShape(step) },
      text: [title(agent, ordinal), ...windowLines(report), ...stepLines(step, ordinal)].join("\n"),
    });
    return 0;
  },
};

function title({ record, conversationId }: Agent, ordinal: number | undefined): string {
  return `${ordinal === undefined ? "The window now" : `The window at step ${ordinal}`}: ${record.name}, conversation ${conversationId}`;
}

const partNames: Readonly<Record<string, string>> = {
  tools: "tools",
  instructions: "instructions",
  coreMemory: "core memory",
  changes: "end of request",
  turn: "running turn",
  recentTurns: "last turns",
  summaries: "summaries",
  olderTurns: "older turns",
};

function windowLines(report: WindowReport): readonly string[] {
  const { total, window, reserve, tiers, leftOut, compacted, factor, layout } = report;
  const rows = (["system", "working", "archive"] as const).map((name) => {
    const { tokens } = tiers[name];
    return [name, number(tokens), bar(tokens / window), partsText(tiers[name])];
  });
  const free = Math.max(0, window - reserve - total);
  const others = [
    ["free", number(free), bar(free / window), ""],
    ["reply", number(reserve), bar(reserve / window), "kept free for the reply"],
  ];
  const hidden = `${number(compacted.messages)} earlier messages have left the window; in their place: ${summariesText(compacted.summaries)}`;
  return [
    `${number(total)} of ${number(window)} tokens, ${Math.round((100 * total) / window)} %; layout ${layout}; counts times ${factor.toFixed(2)}, by what the model reports`,
    alignColumns([...rows, ...others]),
    ...(compacted.messages === 0 ? [] : [hidden]),
    ...leftOut.map(
      ({ part, count, tokens, reason }) => `left out: ${leftOutText(part, count)}, ${number(tokens)} tokens: ${reason}`,
    ),
  ];
}

/** In the order of the request: the parts of a stored report come as the database keeps them. */
function partsText({ tokens, granted, parts }: WindowReport["tiers"]["system"]): string {
  const sizes: Readonly<Record<string, number>> = parts;
  const named = Object.entries(partNames).flatMap(([part, shown]) => {
    const size = sizes[part] ?? 0;
    return size === 0 ? [] : [`${shown} ${number(size)}`];
  });
  return [...named, ...(tokens > granted ? [`over its share of ${number(granted)}`] : [])].join(", ");
}

function summariesText(count: number): string {
  if (count === 0) return "no summary";
  return count === 1 ? "1 summary" : `${number(count)} summaries`;
}

const singular = { turns: "turn", summaries: "summary", result: "result" } as const;

function leftOutText(part: keyof typeof singular, count: number): string {
  return `${number(count)} ${count === 1 ? singular[part] : part}`;
}

function stepLines(step: LoggedStep | undefined, ordinal: number | undefined): readonly string[] {
  if (step === undefined) return ["No model call was made yet."];
  const { inputTokens, cachedInputTokens, outputTokens } = step.usage;
  const cached = inputTokens === 0 ? 0 : Math.round((100 * cachedInputTokens) / inputTokens);
  const name = ordinal === undefined ? `the last model call, step ${step.ordinal}` : "this model call";
  return [
    `${name}: ${step.model}, ${minute(step.at)} UTC; estimated ${number(step.report.total)} tokens, reported ${number(inputTokens)} in (${cached} % from the cache) and ${number(outputTokens)} out`,
  ];
}

const barLength = 20;

function bar(share: number): string {
  const filled = Math.max(0, Math.min(barLength, Math.round(share * barLength)));
  return `${"#".repeat(filled)}${".".repeat(barLength - filled)}`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}
