// Defines the operations on retention, which deletes data beyond the limits in an agent's settings.
// Invariant: each operation acts for the runtime's user only.
import { form } from "../../base/arguments/forms.ts";
import { sweepFields, type SweepRecord } from "../../store/port/retention-store.ts";
import { admin, type Contract, optionalValue, read, value } from "../contract.ts";

export interface RetentionOperations {
  /**
   * Applies the agent's retention settings to this user's rows and returns the record of the sweep. The runtime also does this
   * once a day, after a turn.
   */
  apply(agent: string): Promise<SweepRecord>;
  /** Returns earlier sweeps, newest first. */
  list(agent: string, limit?: number): Promise<readonly SweepRecord[]>;
}

const agent = value("agent", form.text);

export const retentionContract = {
  apply: {
    args: [agent],
    http: admin("POST /agents/:agent/sweeps", "Apply the retention settings now", sweepFields, { status: 201 }),
  },
  list: {
    args: [agent, optionalValue("limit", form.count)],
    http: read("GET /agents/:agent/sweeps", "List deletions of old data by the retention settings, newest first", [
      sweepFields,
    ]),
  },
} as const satisfies Contract<RetentionOperations>;
