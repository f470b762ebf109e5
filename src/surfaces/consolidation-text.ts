// Formats a consolidation as text: each operation as a diff with its quotes. The command line and the chat show it.
// Invariant: pure; the texts of memory are shown whole.
import type { UserRuntime } from "../runtime/runtime.ts";

type Consolidation = Awaited<ReturnType<UserRuntime["consolidation"]["find"]>>;
type Operation = Consolidation["operations"][number];

/** Returns a run as text: its status, and each operation with its number, its diff, its quotes and its reason. */
export function consolidationText(run: Consolidation): string {
  const { id, status, operations, model, usage, dollars, reason, createdAt } = run;
  const cost = dollars === null ? "" : `, $${dollars.toFixed(4)}`;
  const tokens = usage.inputTokens + usage.outputTokens;
  const head = `${id}  ${status}  ${createdAt.toISOString().slice(0, 16)}Z  ${model}, ${tokens} tokens${cost}`;
  const counts = operationCounts(operations) || "The model proposed nothing.";
  return [head, ...(reason === null ? [] : [reason]), ...operations.map(operationText), counts].join("\n");
}

/** Returns how many operations have each status, such as `2 applied, 1 dropped`; empty if there are none. */
export function operationCounts(operations: readonly Operation[]): string {
  return (["applied", "proposed", "rejected", "dropped", "undone"] as const)
    .map((status) => [operations.filter((one) => one.status === status).length, status] as const)
    .flatMap(([count, status]) => (count === 0 ? [] : [`${count} ${status}`]))
    .join(", ");
}

function operationText(operation: Operation, place: number): string {
  const { kind, status, targets, texts, module, evidence, reason, why, trust, needsReview } = operation;
  const label = targets[0]?.kind === "line" ? targets[0].id : (module ?? "archive");
  const notes = [trust, ...(needsReview && status === "proposed" ? ["needs review"] : [])];
  const lines = (mark: string, list: readonly string[]) =>
    list.flatMap((text) => text.split("\n")).map((text) => `   ${mark} ${text}`);
  const quotes = evidence.map(({ kind: row, quote }) => `     ${row}: "${quote.replaceAll("\n", " ")}"`);
  const gone = targets.map(({ text }) => text);
  return [
    `${place + 1}. ${kind} in ${label}: ${status}${why === null ? "" : ` (${why})`}  [${notes.join(", ")}]`,
    ...lines("-", kind === "merge" ? gone.filter((text) => !texts.includes(text)) : gone),
    ...lines("+", texts),
    ...quotes,
    `     ${reason.replaceAll("\n", " ")}`,
  ].join("\n");
}
