// The circuit breaker as a value: which calls are let through, and how long the pauses are.
import {
  admit,
  afterAbort,
  afterFailure,
  type Circuit,
  closedCircuit,
  pauseOf,
} from "../../../../src/model/embedding/circuit.ts";

const settings = { threshold: 3, baseMs: 1000, maxMs: 8000 };
const at = (nowMs: number, random = 0) => ({ nowMs, random });

const failTimes = (times: number, circuit: Circuit = closedCircuit): Circuit =>
  Array.from({ length: times }).reduce<Circuit>((one) => afterFailure(one, at(0), settings), circuit);

/** Fails the probe of each pause, and says how long the pauses were. */
function pausesOfAnOutage(probes: number, random: number): readonly number[] {
  let circuit = afterFailure(failTimes(2), at(0, random), settings);
  const pauses: number[] = [];
  let nowMs = 0;
  for (let probe = 0; probe < probes; probe += 1) {
    const pause = pauseOf(circuit, nowMs, settings);
    pauses.push(pause);
    nowMs += pause;
    circuit = afterFailure(admit(circuit, nowMs).circuit, at(nowMs, random), settings);
  }
  return pauses;
}

describe("the circuit", () => {
  it("admits calls until a number of consecutive failures", () => {
    expect(failTimes(2)).toEqual({ state: "closed", failures: 2 });
    expect(admit(failTimes(2), 0).isAdmitted).toBe(true);
    expect(failTimes(3).state).toBe("open");
    expect(admit(failTimes(3), 0).isAdmitted).toBe(false);
  });

  it("admits one call after the pause, and no second one before that has ended", () => {
    const open = failTimes(3);
    expect(admit(open, 499).isAdmitted).toBe(false);
    const probe = admit(open, 500);
    expect(probe).toEqual({ isAdmitted: true, circuit: { state: "half-open", openings: 1 } });
    expect(admit(probe.circuit, 10_000).isAdmitted).toBe(false);
  });

  it("opens for longer when the probe fails", () => {
    const probe = admit(failTimes(3), 500).circuit;
    expect(afterFailure(probe, at(500), settings)).toEqual({ state: "open", openings: 2, untilMs: 1500 });
  });

  it("pauses between half of the doubling limit and all of it, and never longer than the maximum", () => {
    expect(pausesOfAnOutage(6, 0)).toEqual([500, 1000, 2000, 4000, 4000, 4000]);
    expect(pausesOfAnOutage(6, 0.5)).toEqual([750, 1500, 3000, 6000, 6000, 6000]);
    expect(pausesOfAnOutage(1, 0.9999)).toEqual([1000]);
  });

  it("does not stay open longer because of calls from before it opened", () => {
    const open = failTimes(3);
    expect(afterFailure(open, at(400), settings)).toBe(open);
  });

  it("leaves the probe to the next call when its caller aborts", () => {
    const probe = admit(failTimes(3), 500).circuit;
    const given = afterAbort(probe, 600);
    expect(given).toEqual({ state: "open", openings: 1, untilMs: 600 });
    expect(admit(given, 600).isAdmitted).toBe(true);
    expect(afterAbort(failTimes(2), 600)).toEqual(failTimes(2));
  });

  it("returns how long to wait", () => {
    expect(pauseOf(closedCircuit, 0, settings)).toBe(0);
    expect(pauseOf(failTimes(3), 200, settings)).toBe(300);
    expect(pauseOf(failTimes(3), 900, settings)).toBe(0);
    expect(pauseOf({ state: "half-open", openings: 1 }, 0, settings)).toBe(1000);
  });
});
