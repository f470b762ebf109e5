// Defines the nested keys of a configuration file, named as in MUXI, and the settings that each key sets.
// Invariant: pure; one table contains every key with its schema, its description and its settings. A schema is created
// when it is first used, because most files have none of these keys.
import * as z from "zod";
import { type Config, configDefaults } from "./settings.ts";
import { embedderName } from "./settings/embedding-settings.ts";
import { wholeNumber } from "./settings/forms.ts";
import type { Form } from "./settings/setting.ts";
import { serverUrl } from "./settings/store-settings.ts";
import { type Rule, ruleOf } from "./shape.ts";
import { zod } from "./zod.ts";

/** A setting that a nested key sets, and what happens if the file also sets this setting by its flat key. */
export interface Assignment {
  readonly setting: keyof Config;
  readonly value: unknown;
  /** True if the nested key only implies the value: an explicit value of the setting then overrides it. */
  readonly isImplied?: true;
  /** Whether a flat key with this value may override the nested key. Default: only if both values are equal. */
  readonly agrees?: (flat: unknown) => boolean;
}

/** The validated values of the nested keys in the file. */
export type NestedValues = ReadonlyMap<string, unknown>;

export interface NestedKey extends Rule {
  readonly isSecret?: true;
  /** The settings that the key can set, for the documentation. */
  readonly settings: readonly (keyof Config)[];
  readonly sets: (value: unknown, all: NestedValues) => readonly Assignment[];
}

const truth: Rule = { form: () => z.boolean(), expected: "true or false" };
const seconds: Rule = {
  form: () => z.number().int().min(60).max(31_536_000),
  expected: "a whole number of seconds from 60 to 31536000",
};
const model: Rule = ruleOfForm(embedderName);

function ruleOfForm({ form, expected }: Form): Rule {
  return { form: () => form(zod), expected };
}

/** Returns the number of messages that leave the buffer together: as in MUXI, a fifth of its size, but from 2 to 10. */
function batchOf(size: number): number {
  return Math.min(configDefaults.ringBatch, Math.max(2, Math.floor(size / 5)));
}

/** Returns the buffer's size in messages, configured or default. */
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
    ...seconds,
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

/** Returns a nested key that sets one setting, to the key's value or to the result of `translate`. */
function sets(
  setting: keyof Config,
  { form, expected }: Rule,
  translate: (value: never) => unknown = (value) => value,
): NestedKey {
  return { form, expected, settings: [setting], sets: (value) => [{ setting, value: translate(value as never) }] };
}

export const nestedKeys: Readonly<Record<string, NestedKey>> = {
  "memory.buffer.size": {
    ...ruleOfForm(wholeNumber(2)),
    settings: ["bufferSize", "compaction", "compactMessages", "ringEntries", "ringBatch", "keepLast"],
    sets: (value, all) => [{ setting: "bufferSize", value }, { setting: "compactMessages", value }, ...ringOf(all)],
  },
  "memory.buffer.multiplier": {
    ...ruleOfForm(wholeNumber(1)),
    settings: ["bufferMultiplier", "ringEntries"],
    sets: (value, all) => [{ setting: "bufferMultiplier", value }, ...ringOf(all)],
  },
  "memory.buffer.vector_search": sets("bufferSearch", truth, (isOn) => (isOn ? "meaning" : "words")),
  "memory.buffer.embedding_model": {
    ...model,
    settings: ["bufferEmbedding", "bufferSearch"],
    sets: (value) => [
      { setting: "bufferEmbedding", value },
      // A named embedding model implies search by meaning, unless the file sets the search mode itself.
      { setting: "bufferSearch", value: "meaning", isImplied: true },
    ],
  },
  "memory.working.max_memory_mb": sets("workingMemoryMegabytes", ruleOf("workingMemoryMegabytes")),
  "memory.working.fifo_interval_min": sets("workingMemoryMinutes", ruleOf("workingMemoryMinutes")),
  "memory.persistent.enabled": sets("archivalMemory", truth, onOrOff),
  "memory.persistent.provider": {
    form: () => z.enum(["postgresql", "embedded"]),
    expected: '"postgresql" (with memory.persistent.connection_string) or "embedded"',
    settings: ["databaseUrl"],
    sets: (value) => (value === "embedded" ? [{ setting: "databaseUrl", value: null }] : []),
  },
  "memory.persistent.connection_string": {
    ...sets("databaseUrl", { form: () => serverUrl.form(zod), expected: "postgresql://USER@HOST/DATABASE" }),
    isSecret: true,
  },
  "memory.persistent.user_isolation": sets("userIsolation", truth, onOrOff),
  "memory.synopsis.identity_ttl": lifetimes("identity"),
  "memory.synopsis.context_ttl": lifetimes("context"),
  "memory.synopsis.refresh_on_access": sets("synopsisRefresh", truth, (isOn) => (isOn ? "on-access" : "by-hand")),
  "llm.models[].embedding": sets("embedding", model),
};

/** A section sets settings by its presence. `hasSwitch`: whether the file may have `true` or `false` instead of the section. */
export interface Section {
  readonly hasSwitch: boolean;
  /** `all` contains the values of the nested keys in the file. */
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
      // A compaction must keep fewer messages than the buffer holds, so that a batch can leave the window.
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
