// Corrects one model's estimated token counts by its provider's reported counts for the same requests.
// Invariant: the factor is finite and within its limits for any samples; one outlier among few does not move it.
import type { UsageSample } from "../../base/message/message.ts";
import { createTokenScale, type TokenScale } from "./token-scale.ts";

/** Maximum number of usable samples, the newest. */
export const calibrationSamples = 20;

/** With fewer samples, ones with factor 1 are added: a single outlier has no effect. */
const minSamples = 3;

/** Limits of the factor: beyond them the report is wrong (a proxy that reports 1, for example). */
export const factorLimits = { min: 0.25, max: 4 } as const;

/**
 * Returns the factor for estimates: the median of reported / estimated over the newest usable samples, within
 * `factorLimits`. A median, because one request with an image or a foreign alphabet must not affect all later ones.
 * Samples are in order, newest last; one with 0 or less on either side, or with a value that is not a number, is
 * ignored.
 */
export function calibrationFactor(samples: readonly UsageSample[]): number {
  const known = newestUsable(samples).map(({ estimated, reported }) => reported / estimated);
  const missing = Array.from({ length: Math.max(0, minSamples - known.length) }, () => 1);
  const ratios = [...known, ...missing].toSorted((one, other) => one - other);
  const upper = ratios[Math.floor(ratios.length / 2)] as number;
  const lower = ratios[Math.ceil(ratios.length / 2) - 1] as number;
  return Math.min(factorLimits.max, Math.max(factorLimits.min, (lower + upper) / 2));
}

/** Collects the samples of one model, and provides the scale that results. */
export interface Calibration {
  /** Uses the factor of `calibrationFactor`; it changes with samples, so read it once per decision. */
  readonly scale: TokenScale;
  /** The samples in use: at most `calibrationSamples`, newest last. */
  readonly samples: readonly UsageSample[];
  /** Ignores an unusable sample. */
  add(sample: UsageSample): void;
}

/** Starts with earlier samples, newest last. */
export function createCalibration(before: readonly UsageSample[] = []): Calibration {
  let samples = newestUsable(before);
  let scale = createTokenScale(calibrationFactor(samples));
  return {
    get scale() {
      return scale;
    },
    get samples() {
      return samples;
    },
    add(sample) {
      samples = newestUsable([...samples, sample]);
      scale = createTokenScale(calibrationFactor(samples));
    },
  };
}

function newestUsable(samples: readonly UsageSample[]): readonly UsageSample[] {
  return samples
    .filter(({ estimated, reported }) => isCount(estimated) && isCount(reported))
    .slice(-calibrationSamples);
}

function isCount(tokens: number): boolean {
  return Number.isFinite(tokens) && tokens > 0;
}
