// The nested keys of a configuration file, as MUXI names them, and which settings each of them stands for.
// Invariant: pure; one table has every key with its form, its words and its settings, and nothing else knows them.
import { z } from "zod";
import { configDefaults } from "./defaults.ts";
import { type Config, settings } from "./settings.ts";
import { embedderName } from "./settings/embedding-settings.ts";
import { wholeNumber } from "./settings/forms.ts";
import { serverUrl } from "./settings/store-settings.ts";
import { shape } from "./shape.ts";

/** A setting that a nested key sets, and what else may be said of it beside the key. */
export interface Assignment {
  readonly setting: keyof Config;
  readonly value: unknown;
  /** It only follows from the key: whatever is said of the setting itself holds. */
  readonly isImplied?: true;
  /** Whether a flat value in the same file says the same or more: then that holds. Default: when it is equal. */
  readonly agrees?: (flat: unknown) => boolean;
}

/** What stands in the file, by nested key; the values have their forms. */
export type NestedValues = ReadonlyMap<string, unknown>;

export interface NestedKey {
  readonly form: z.ZodType;
  readonly expected: string;
  readonly isSecret?: true;
  /** Settings that it sets, for the documentation. */
  readonly settings: readonly (keyof Config)[];
  readonly sets: (value: unknown, all: NestedValues) => readonly Assignment[];
}

const truth = z.boolean();
const truthExpected = "true or false";
const seconds = z.number().int().min(60).max(31_536_000);
const secondsExpected = "a whole number of seconds from 60 to 31536000";
const model = z
  .string()
  .regex(/^(?:none|(?:local|openai|transformers)\/\S+)$/u)
  .transform((name) => nameOfEmbedder(name))
  .pipe(embedderName.form(z));
const modelExpected =
  '"local/use-lite", "openai/NAME", "transformers/NAME", "local/NAME" (the same as transformers/NAME), or "none"';

/** Models that run here and are not built in are those of `transformers`. */
function nameOfEmbedder(name: string): string {
  return name.startsWith("local/") && name !== "local/use-lite" ? name.replace("local/", "transformers/") : name;
}

/** As MUXI summarizes: a fifth of the messages at a time. */
function batchOf(size: number): number {
  return Math.min(configDefaults.ringBatch, Math.max(2, Math.floor(size / 5)));
}

/** The buffer's, as it is said or by default. */
export const sizeIn = (all: NestedValues): number => numberIn(all, "memory.buffer.size", configDefaults.bufferSize);
export const multiplierIn = (all: NestedValues): number =>
  numberIn(all, "memory.buffer.multiplier", configDefaults.bufferMultiplier);

function numberIn(all: NestedValues, key: string, otherwise: number): number {
  const value = all.get(key);
  return typeof value === "number" ? value : otherwise;
}

function ringOf(all: NestedValues): readonly Assignment[] {
  return [{ setting: "ringEntries", value: sizeIn(all) * multiplierIn(all) }];
}

function lifetimes(part: "identity" | "context"): NestedKey {
  const setting = "synopsisLifetimes";
  return {
    form: seconds,
    expected: secondsExpected,
    settings: [setting],
    sets: (value, all) => [
      {
        setting,
        value: {
          identity: numberIn(all, "memory.synopsis.identity_ttl", configDefaults.synopsisLifetimes.identity),
          context: numberIn(all, "memory.synopsis.context_ttl", configDefaults.synopsisLifetimes.context),
        },
        agrees: (flat) => typeof flat === "object" && flat !== null && part in flat && flat[part as never] === value,
      },
    ],
  };
}

/** A key that stands for one setting, as it is or translated. */
function sets(
  setting: keyof Config,
  { form, expected }: Pick<NestedKey, "form" | "expected">,
  translate: (value: never) => unknown = (value) => value,
): NestedKey {
  return { form, expected, settings: [setting], sets: (value) => [{ setting, value: translate(value as never) }] };
}

export const nestedKeys: Readonly<Record<string, NestedKey>> = {
  "memory.buffer.size": {
    form: wholeNumber(2).form(z),
    expected: wholeNumber(2).expected,
    settings: ["bufferSize", "compaction", "compactMessages", "ringEntries", "ringBatch", "keepLast"],
    sets: (value, all) => [{ setting: "bufferSize", value }, { setting: "compactMessages", value }, ...ringOf(all)],
  },
  "memory.buffer.multiplier": {
    form: wholeNumber(1).form(z),
    expected: wholeNumber(1).expected,
    settings: ["bufferMultiplier", "ringEntries"],
    sets: (value, all) => [{ setting: "bufferMultiplier", value }, ...ringOf(all)],
  },
  "memory.buffer.vector_search": sets("bufferSearch", { form: truth, expected: truthExpected }, (isOn) =>
    isOn ? "meaning" : "words",
  ),
  "memory.buffer.embedding_model": {
    form: model,
    expected: modelExpected,
    settings: ["bufferEmbedding", "bufferSearch"],
    sets: (value) => [
      { setting: "bufferEmbedding", value },
      // Whoever names a model wants it used, unless something else is said.
      { setting: "bufferSearch", value: "meaning", isImplied: true },
    ],
  },
  "memory.working.max_memory_mb": sets("workingMemoryMegabytes", ruleOf("workingMemoryMegabytes")),
  "memory.working.fifo_interval_min": sets("workingMemoryMinutes", ruleOf("workingMemoryMinutes")),
  "memory.persistent.enabled": sets("archivalMemory", { form: truth, expected: truthExpected }, onOrOff),
  "memory.persistent.provider": {
    form: z.enum(["postgresql", "embedded"]),
    expected: '"postgresql" (with memory.persistent.connection_string) or "embedded"',
    settings: ["databaseUrl"],
    sets: (value) => (value === "embedded" ? [{ setting: "databaseUrl", value: null }] : []),
  },
  "memory.persistent.connection_string": {
    ...sets("databaseUrl", { form: serverUrl.form(z), expected: "postgresql://USER@HOST/DATABASE" }),
    isSecret: true,
  },
  "memory.persistent.user_isolation": sets("userIsolation", { form: truth, expected: truthExpected }, onOrOff),
  "memory.synopsis.identity_ttl": lifetimes("identity"),
  "memory.synopsis.context_ttl": lifetimes("context"),
  "memory.synopsis.refresh_on_access": sets("synopsisRefresh", { form: truth, expected: truthExpected }, (isOn) =>
    isOn ? "on-access" : "by-hand",
  ),
  "llm.models[].embedding": sets("embedding", { form: model, expected: modelExpected }),
};

/** What a section switches on by being there, and whether `true` and `false` may stand in its place. */
export interface Section {
  readonly hasSwitch: boolean;
  /** `all`: what stands in the section. */
  readonly sets: (isOn: boolean, all: NestedValues) => readonly Assignment[];
  readonly settings: readonly (keyof Config)[];
}

export const sections: Readonly<Record<string, Section>> = {
  "memory.buffer": {
    hasSwitch: false,
    settings: ["compaction"],
    sets: (_, all) => [
      { setting: "compaction", value: "ring" },
      { setting: "compactMessages", value: sizeIn(all), isImplied: true },
      { setting: "ringEntries", value: sizeIn(all) * multiplierIn(all), isImplied: true },
      { setting: "ringBatch", value: batchOf(sizeIn(all)), isImplied: true },
      // So many stay at most that a batch of messages can go.
      {
        setting: "keepLast",
        value: Math.min(configDefaults.keepLast, Math.max(1, sizeIn(all) - batchOf(sizeIn(all)))),
        isImplied: true,
      },
    ],
  },
  "memory.working": {
    hasSwitch: true,
    settings: ["workingMemory"],
    sets: (isOn) => [
      isOn
        ? { setting: "workingMemory", value: "process", agrees: (flat) => flat !== "off" }
        : { setting: "workingMemory", value: "off" },
    ],
  },
  "memory.persistent": { hasSwitch: false, settings: [], sets: () => [] },
  "memory.synopsis": {
    hasSwitch: true,
    settings: ["synopsis"],
    sets: (isOn) => [{ setting: "synopsis", value: onOrOff(isOn) }],
  },
};

function onOrOff(isOn: boolean): "on" | "off" {
  return isOn ? "on" : "off";
}

function ruleOf(setting: keyof Config): Pick<NestedKey, "form" | "expected"> {
  return { form: shape[setting], expected: settings[setting].expected };
}
