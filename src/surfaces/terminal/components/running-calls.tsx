// The tool calls without a result: the newest ones, a row each.
import { callRow } from "../rows/item-rows.ts";
import type { TurnCall } from "../../../agent/fold-turn.ts";
import { RowLine } from "./toned.tsx";

export const maxCalls = 2;

export function RunningCalls({ calls, width }: { readonly calls: readonly TurnCall[]; readonly width: number }) {
  return calls.slice(-maxCalls).map((call) => <RowLine key={call.callId} row={callRow(call, width)} />);
}
