// `palimpsest context`.
import {
  cachedPercent,
  hiddenText,
  numberText,
  omissionText,
  partTexts,
  windowSourceText,
} from "../../../base/window-words.ts";
import type { Command } from "../command.ts";
import { alignColumns } from "../format/align-columns.ts";
import { storeFlags } from "../parse/flags.ts";
import { stepShape } from "../format/listing-shapes.ts";
import { minute } from "../format/listing-texts.ts";
import { optionalNumberFlag } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";
import type { Agent, LoggedStep, WindowReport } from "../runtime-records.ts";

export const contextShow: Command = {
  words: ["context"],
  usage: "",
  summary: "show what is in a conversation's window",
  flags: ["agent", "resume", "step", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const id = call.line.texts.resume;
    const ordinal = optionalNumberFlag(call.line, "step", { min: 1, max: 999_999_999 });
    const agents = (await call.runtime()).agents;
    const conversation = id === undefined ? "last" : { id };
    const agent = await agents.open(call.agent, { conversation, withoutCalls: true });
    const step = ordinal === undefined ? (await agent.steps(1))[0] : await agent.step(ordinal);
    const report = ordinal === undefined ? agent.context().report : step?.report;
    // A requested step that does not exist was refused before.
    if (report === undefined) return 1;
    printResult(call, {
      json: { conversationId: agent.conversationId, report, step: step === undefined ? null : stepShape(step) },
      text: [title(agent, ordinal), ...windowLines(report), ...stepLines(step, ordinal)].join("\n"),
    });
    return 0;
  },
};

function title({ record, conversationId }: Agent, ordinal: number | undefined): string {
  return `${ordinal === undefined ? "The window now" : `The window at step ${ordinal}`}: ${record.name}, conversation ${conversationId}`;
}

function windowLines(report: WindowReport): readonly string[] {
  const { total, window, reserve, tiers, leftOut, compacted, factor, layout, windowFrom } = report;
  const rows = (["system", "working", "archive"] as const).map((name) => {
    const { tokens } = tiers[name];
    return [name, numberText(tokens), bar(tokens / window), partsText(tiers[name])];
  });
  const free = Math.max(0, window - reserve - total);
  const others = [
    ["free", numberText(free), bar(free / window), ""],
    ["reply", numberText(reserve), bar(reserve / window), "kept free for the reply"],
  ];
  const source = windowSourceText(windowFrom);
  return [
    `${numberText(total)} of ${numberText(window)} tokens${source === "" ? "" : ` (${source})`}, ${Math.round((100 * total) / window)} %; layout ${layout}; counts times ${factor.toFixed(2)}, by what the model reports`,
    alignColumns([...rows, ...others]),
    ...(compacted.messages === 0 ? [] : [hiddenText(compacted)]),
    ...leftOut.map((omission) => `left out: ${omissionText(omission)}`),
  ];
}

function partsText({ tokens, granted, parts }: WindowReport["tiers"]["system"]): string {
  return [...partTexts(parts), ...(tokens > granted ? [`over its share of ${numberText(granted)}`] : [])].join(", ");
}

function stepLines(step: LoggedStep | undefined, ordinal: number | undefined): readonly string[] {
  if (step === undefined) return ["No model call was made yet."];
  const { inputTokens, outputTokens } = step.usage;
  const name = ordinal === undefined ? `the last model call, step ${step.ordinal}` : "this model call";
  return [
    `${name}: ${step.model}, ${minute(step.at)} UTC; estimated ${numberText(step.report.total)} tokens, reported ${numberText(inputTokens)} in (${cachedPercent(step.usage)} % from the cache) and ${numberText(outputTokens)} out`,
  ];
}

const barLength = 20;

function bar(share: number): string {
  const filled = Math.max(0, Math.min(barLength, Math.round(share * barLength)));
  return `${"#".repeat(filled)}${".".repeat(barLength - filled)}`;
}
