// Converts between counted tokens (the runtime's) and reported tokens (the provider's), by a factor learned from the
// reported counts of earlier requests.
// Invariant: no other code multiplies or divides by a calibration factor. Decisions compare counted tokens only;
// reported tokens are in a provider's limits, in its usage, and in what people are shown. The factor is finite and
// within its limits for any samples.
import type { UsageSample, WindowSource } from "../../base/message/message.ts";

export interface TokenScale {
  /** Ratio of reported to counted tokens. */
  readonly factor: number;
  /** Returns the maximum counted tokens within a provider's limit. */
  counted(limit: number): number;
  /** Converts counted tokens to reported tokens, rounded up. */
  reported(tokens: number): number;
  /** Converts a limit in counted tokens to a limit for the provider, rounded down. */
  reportedLimit(limit: number): number;
}

export function createTokenScale(factor: number): TokenScale {
  return {
    factor,
    counted: (limit) => Math.floor(limit / factor),
    reported: (tokens) => Math.ceil(tokens * factor),
    reportedLimit: (limit) => Math.floor(limit * factor),
  };
}

/** The scale for a model without known usage. */
export const unscaled: TokenScale = createTokenScale(1);

/** Returns a scale that changes rarely: its factor is rounded to a power of two. */
export function coarseScale({ factor }: TokenScale): TokenScale {
  return createTokenScale(2 ** Math.round(Math.log2(factor)));
}

/** The size of a window, in reported tokens. */
export interface WindowSize {
  readonly window: number;
  /** Tokens of the window reserved for the reply. */
  readonly reserve: number;
  readonly from?: WindowSource;
}

/** The limits of a request, in counted tokens. */
export interface WindowLimits {
  /** Maximum tokens of a request. */
  readonly available: number;
  /** Maximum tokens of one tool result. */
  readonly result: number;
}

/** Maximum share of the budget for one tool result. */
const resultShare = 0.25;

/** Returns the limits of a window in counted tokens. Code that selects or cuts texts uses these limits, never `window`. */
export function windowLimits({ window, reserve }: WindowSize, scale: TokenScale): WindowLimits {
  const budget = window - reserve;
  return {
    available: scale.counted(budget),
    // The factor varies slightly with each call. A coarse scale keeps a clipped result the same in later requests.
    result: coarseScale(scale).counted(resultShare * budget),
  };
}

/** Maximum number of samples in use; the newest are used. */
export const calibrationSamples = 20;

/** With fewer samples, samples with the factor 1 are added, so that a single outlier has no effect. */
const minSamples = 3;

/** Limits of the factor: outside them, the reported counts are wrong (from a proxy that always reports 1, for example). */
const factorLimits = { min: 0.25, max: 4 } as const;

/**
 * Returns the factor for estimates: the median of reported / estimated over the newest usable samples, within
 * `factorLimits`. A median, because one request with an image or a foreign alphabet must not affect all later ones.
 * Samples are in order, newest last; a sample with a count that is not a positive number is ignored.
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
  /** The scale with the factor of `calibrationFactor`. Each sample may change the scale, so read it once per decision. */
  readonly scale: TokenScale;
  /** The samples in use: at most `calibrationSamples`, newest last. */
  readonly samples: readonly UsageSample[];
  /** Adds a sample; an unusable one is ignored. */
  add(sample: UsageSample): void;
}

/** Creates a calibration from earlier samples, newest last. */
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
