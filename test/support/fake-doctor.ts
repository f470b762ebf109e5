// A Doctor that finds what a test tells it to find.
import type { Doctor, DoctorReport, Finding, LockReport } from "../../src/runtime/doctor/contract.ts";

export interface FakeDoctorOptions {
  readonly report?: DoctorReport;
  readonly lock?: LockReport;
}

export interface FakeDoctor extends Doctor {
  readonly calls: readonly (readonly [string, ...unknown[]])[];
  close(): Promise<void>;
}

export const wellFinding: Finding = { check: "node", verdict: "ok", found: "Node 22.0.0.", advice: null };

export function createFakeDoctor(options: FakeDoctorOptions = {}): FakeDoctor {
  const calls: [string, ...unknown[]][] = [];
  return {
    calls,
    examine: async ({ online, repair } = {}) => {
      calls.push(["examine", { online, repair }]);
      return options.report ?? { findings: [wellFinding], repairs: [] };
    },
    lock: async () => options.lock ?? { kind: "free", finding: { ...wellFinding, check: "lock", found: "Nobody." } },
    unlock: async () => void calls.push(["unlock"]),
    close: async () => void calls.push(["close"]),
  };
}
