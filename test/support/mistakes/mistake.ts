// A mistake of a program that uses the library: the call, with the code, the field and the words of its error.
import type { Agent, RuntimeOptions } from "../../../src/exports/index.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";

export interface MistakeScene {
  readonly runtime: Loose<Runtime>;
  readonly agent: Loose<Agent>;
  /** Options with the location of a database. */
  readonly place: RuntimeOptions;
}

/** The functions of an object, as a program without types calls them. */
export type Loose<Target> = {
  readonly [Key in keyof Target]: Target[Key] extends (...args: never[]) => unknown
    ? (...args: readonly unknown[]) => unknown
    : Target[Key] extends object
      ? Loose<Target[Key]>
      : Target[Key];
};

export type Mistake = readonly [
  name: string,
  call: (scene: MistakeScene) => unknown,
  code: string,
  /** Undefined for an error that names none. */
  field: string | undefined,
  message: RegExp,
];

export const codes = {
  config: "config_invalid",
  input: "input_invalid",
  ofTool: "tool_definition_invalid",
  ofMemory: "memory_definition_invalid",
} as const;
