// The terminal as the doctor tells of it.
import type { Finding } from "../runtime/doctor.ts";
import type { World } from "./world.ts";

// Below this, the chat's own lines no longer fit.
const leastColumns = 40;

export function terminalFinding({ isTerminal, hasColor, hasUtf8, stdout }: World): Finding {
  const columns = "columns" in stdout && typeof stdout.columns === "number" ? stdout.columns : null;
  const facts = [
    isTerminal ? "a terminal" : "no terminal: the chat goes line by line",
    hasColor ? "colours" : "no colours",
    ...(columns === null ? [] : [`${columns} columns`]),
    hasUtf8 ? "UTF-8" : "no UTF-8",
  ];
  const found = `${facts.join(", ")}.`;
  const advice = adviceFor({ hasUtf8, columns });
  return { check: "terminal", verdict: advice === null ? "ok" : "warning", found, advice };
}

function adviceFor({
  hasUtf8,
  columns,
}: {
  readonly hasUtf8: boolean;
  readonly columns: number | null;
}): string | null {
  if (!hasUtf8) return "Set LANG to a UTF-8 locale, such as C.UTF-8: other text may come out garbled.";
  return columns !== null && columns < leastColumns
    ? "Make the window wider: the chat is laid out for 40 columns."
    : null;
}
