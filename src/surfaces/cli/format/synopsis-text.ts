// A synopsis on the command line: as JSON for scripts, and as text.
// Invariant: fields of the JSON are added, never renamed or removed; dates are ISO 8601 in UTC.
import { numberText } from "../../../base/window-words.ts";
import { minute } from "./listing-texts.ts";
import type { Synopsis } from "../runtime-records.ts";

type Part = NonNullable<Synopsis["identity"] | Synopsis["context"]>;

export function synopsisShape(synopsis: Synopsis): object {
  const { isOn, identity, context, text, tokens, memoryTokens, savedPercent } = synopsis;
  const parts = { identity: identity && partShape(identity), context: context && partShape(context) };
  return { isOn, ...parts, text, tokens, memoryTokens, savedPercent };
}

function partShape(part: Part): object {
  const { content, trust, at, expiresAt, isStale, memories, leftOut } = part;
  const { memoryTokens, tokens, model, usage, dollars } = part;
  const from = { memories, leftOut, memoryTokens };
  return { content, trust, at, expiresAt, isStale, ...from, tokens, model, usage, dollars };
}

export function synopsisText(synopsis: Synopsis, command: string): string {
  const { identity, context, isOn } = synopsis;
  const off = isOn ? [] : [`It is off: no prompt shows it (\`${command} agents set synopsis on\`).`];
  if (identity === null && context === null) return ["There is no synopsis.", ...off].join("\n");
  return [
    ...(identity === null ? [] : [...identityLines(identity.content), partLine("identity", identity)]),
    ...(context === null ? [] : [...contextLines(context.content), partLine("context", context)]),
    ...savingLine(synopsis),
    ...off,
  ].join("\n");
}

function identityLines({ name, preferences, traits }: NonNullable<Synopsis["identity"]>["content"]): readonly string[] {
  return [`Name: ${name ?? "not known"}`, ...list("Preferences", preferences), ...list("Traits", traits)];
}

function contextLines({ recentTopics, currentGoals }: NonNullable<Synopsis["context"]>["content"]): readonly string[] {
  return [...list("Recent topics", recentTopics), ...list("Current goals", currentGoals)];
}

function list(label: string, items: readonly string[]): readonly string[] {
  return [`${label}:${items.length === 0 ? " none known" : ""}`, ...items.map((item) => `  ${item}`)];
}

function partLine(name: string, { at, expiresAt, isStale, memories, leftOut, model, trust }: Part): string {
  const holds = `${isStale ? "stale since" : "valid until"} ${minute(expiresAt)}`;
  const left = leftOut === 0 ? "" : `; ${numberText(leftOut)} more left out for lack of space`;
  const outside = trust === "external" ? "; contains external text" : "";
  const from = `${numberText(memories)} ${memories === 1 ? "memory" : "memories"}`;
  return `(${name}: made ${minute(at)} by ${model} from ${from}${left}; ${holds}${outside})`;
}

function savingLine({ tokens, memoryTokens, savedPercent }: Synopsis): readonly string[] {
  if (savedPercent === null) return [];
  const saved = savedPercent >= 0 ? `${savedPercent} % saved` : `${-savedPercent} % more`;
  return [`${numberText(memoryTokens)} tokens of memories, ${numberText(tokens)} of the synopsis: ${saved}.`];
}
