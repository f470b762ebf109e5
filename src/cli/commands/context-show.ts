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
  changes: "changes since",
  turn: "running turn",
  recentTurns: "last turns",
  summaries: "summaries",
  olderTurns: "older turns",
};

function windowLines(report: WindowReport): readonly string[] {
  const { total, window, reserve, tiers, leftOut, compacted, factor, layout } = report;
  const rows = Object.entries(tiers).map(([name, { tokens, parts }]) => {
    const named = Object.entries(parts).map(([part, size]) => `${partNames[part] ?? part} ${number(size)}`);
    return [name, number(tokens), bar(tokens / window), named.join(", ")];
  });
  const free = window - reserve - total;
  const others = [
    ["free", number(free), bar(free / window), ""],
    ["reply", number(reserve), bar(reserve / window), "kept free for it"],
  ];
  const summaries = `${number(compacted.messages)} earlier messages are hidden, ${number(compacted.summaries)} summaries stand for them`;
  return [
    `${number(total)} of ${number(window)} tokens, ${Math.round((100 * total) / window)} %; layout ${layout}; counts times ${factor.toFixed(2)}, by what the model reports`,
    alignColumns([...rows, ...others]),
    ...(compacted.messages === 0 ? [] : [summaries]),
    ...leftOut.map(
      ({ part, count, tokens, reason }) => `left out: ${count} ${part}, ${number(tokens)} tokens: ${reason}`,
    ),
  ];
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
