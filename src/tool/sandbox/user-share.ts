// Gives one user a share of the sandbox.
// Invariant: whatever a user runs, slots remain for the calls of others.
import type { Sandbox } from "../sandbox.ts";
import { maxRunningOfUser } from "./sandbox-limits.ts";
import { createSlots } from "../../base/slots.ts";

/** The same sandbox; calls beyond the share wait. */
export function shareOf(sandbox: Sandbox): Sandbox {
  const slots = createSlots(maxRunningOfUser);
  return {
    ...sandbox,
    describe: (source, name) => slots.use(() => sandbox.describe(source, name)),
    run: (call) => slots.use(() => sandbox.run(call), call.signal),
  };
}
