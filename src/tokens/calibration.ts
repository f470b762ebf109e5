// Corrects estimated token counts of one model by what its provider reports of the same requests.
// Invariant: the factor is finite and within its limits, whatever the samples are; one odd report among few does not move it.
import type { UsageSample } from "../message/message.ts";
import { createTokenScale, type TokenScale } from "./token-scale.ts";

/** How many of the newest usable samples count. */
export const calibrationSamples = 20;

/** Fewer samples than this are filled up with ones of 1: a single odd report moves nothing. */
const fewestSamples = 3;

/** The least and the greatest factor: beyond them it is the report that is wrong (a proxy that reports 1, say). */
export const factorLimits = { min: 0.25, greatest: 4 } as const;

/**
 * What an estimate is to be multiplied with: the median of reported / estimated over the newest usable samples, within
 * `factorLimits`. A median, because one request with an image or a foreign alphabet must not move all that follow. Samples
 * are in their order, the newest last; one with 0 or less on either side, or no number, is passed over.
 */
export function calibrationFactor(samples: readonly UsageSample[]): number {
  const known = newestUsable(samples).map(({ estimated, reported }) => reported / estimated);
  const missing = Array.from({ length: Math.max(0, fewestSamples - known.length) }, () => 1);
  const ratios = [...known, ...missing].toSorted((one, other) => one - other);
  const upper = ratios[Math.floor(ratios.length / 2)] as number;
  const lower = ratios[Math.ceil(ratios.length / 2) - 1] as number;
  return Math.min(factorLimits.greatest, Math.max(factorLimits.min, (lower + upper) / 2));
}

/** The samples of one model as they come in, and the scale that they give. */
export interface Calibration {
  /** By the factor of `calibrationFactor`; it changes with samples, so that one decision takes it once. */
  readonly scale: TokenScale;
  /** Those that count: at most `calibrationSamples`, the newest last. */
  readonly samples: readonly UsageSample[];
  /** An unusable sample changes nothing. */
  add(sample: UsageSample): void;
}

/** Begins with samples from before, the newest last. */
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
