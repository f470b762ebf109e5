// The factor follows the provider's reports, and a single outlier does not change it.
import fc from "fast-check";
import type { UsageSample } from "../../../../src/base/message/message.ts";
import { calibrationFactor, createCalibration } from "../../../../src/model/tokens/token-scale.ts";

const sample = (estimated: number, reported: number): UsageSample => ({ estimated, reported });
const times = (count: number, one: UsageSample): readonly UsageSample[] => Array.from({ length: count }, () => one);

describe("calibrationFactor", () => {
  it.each<[string, readonly UsageSample[], number]>([
    ["1 without samples", [], 1],
    ["1 with a single sample", [sample(1000, 7000)], 1],
    ["the lower one of two, which stand beside a 1", [sample(1000, 1300), sample(1000, 1500)], 1.3],
    ["the middle one of three", [sample(100, 90), sample(100, 300), sample(100, 110)], 1.1],
    ["the mean of the two in the middle", [sample(10, 8), sample(10, 12), sample(10, 39), sample(10, 1)], 1],
    ["0.25 at the least", times(3, sample(1_000_000, 1)), 0.25],
    ["4 at the most", times(3, sample(1, 1_000_000)), 4],
    ["1 when no sample is usable", [sample(0, 10), sample(10, 0), sample(-5, -5), sample(Number.NaN, 10)], 1],
    [
      "untouched by unusable ones",
      [...times(3, sample(10, 20)), ...times(3, sample(0, 10)), ...times(3, sample(10, 0))],
      2,
    ],
  ])("is %s", (_, samples, factor) => {
    expect(calibrationFactor(samples)).toBeCloseTo(factor, 12);
  });

  it("uses only the newest 20", () => {
    expect(calibrationFactor([...times(100, sample(10, 20)), ...times(20, sample(10, 12))])).toBe(1.2);
    expect(calibrationFactor([...times(11, sample(10, 20)), ...times(10, sample(10, 12))])).toBe(1.6);
  });

  it("is robust against nine outliers among twenty", () => {
    const steady = times(11, sample(1000, 1150));
    expect(calibrationFactor([...steady, ...times(9, sample(1, 10_000))])).toBe(1.15);
    expect(calibrationFactor([...times(9, sample(10_000, 1)), ...steady])).toBe(1.15);
  });

  it("is within its limits for any numbers", () => {
    const number = fc.oneof(fc.double(), fc.integer());
    const samples = fc.array(fc.record({ estimated: number, reported: number }), { maxLength: 40 });
    fc.assert(
      fc.property(samples, (all) => {
        const factor = calibrationFactor(all);
        return factor >= 0.25 && factor <= 4;
      }),
    );
  });
});

describe("createCalibration", () => {
  it("follows added samples and keeps the newest 20", () => {
    const calibration = createCalibration(times(30, sample(10, 20)));
    expect(calibration.samples).toHaveLength(20);
    expect(calibration.scale.factor).toBe(2);
    for (let count = 0; count < 11; count += 1) calibration.add(sample(10, 12));
    expect(calibration.scale.factor).toBe(1.2);
    expect(calibration.samples).toHaveLength(20);
    expect(calibration.samples.at(-1)).toEqual(sample(10, 12));
  });

  it("is not changed by an unusable sample", () => {
    const calibration = createCalibration(times(3, sample(10, 12)));
    calibration.add(sample(0, 12));
    expect(calibration.samples).toEqual(times(3, sample(10, 12)));
    expect(calibration.scale.factor).toBe(1.2);
    expect(createCalibration().scale.factor).toBe(1);
  });
});
