// What settings are made of: what one is, and the forms that several have, with their words.
// Invariant: a form and its words say the same.
import { z } from "zod";

/** Where a setting comes from besides the file, and what it must be, in words. */
export interface Setting {
  readonly expected: string;
  readonly flag?: string;
  /** The first that is set and not empty wins. */
  readonly environment?: readonly string[];
  readonly isSecret?: true;
}

export const maxWhole = 10_000_000;
export const wholeNumber = (min: number): z.ZodNumber => z.number().int().min(min).max(maxWhole);
export const atLeast = (min: number): string => `a whole number from ${min} to ${maxWhole}`;

/** A text with something in it. */
export const nonBlank = z.string().regex(/\S/u);

/** Paths are appended to it, and it is shown: so nothing may follow its path, and no secret may be in it. */
export const httpUrl = z.url({ protocol: /^https?$/u }).regex(/^[^@?#\s]+$/u);
export const urlExpected = "an http:// or https:// URL without a user, a password, a query or a fragment";
