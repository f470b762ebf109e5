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

export interface Mistake {
  readonly call: (scene: MistakeScene) => unknown;
  readonly code: string;
  /** Undefined for an error that names none. */
  readonly field: string | undefined;
  readonly message: RegExp;
}

type Row = readonly [call: Mistake["call"], field: Mistake["field"], message: Mistake["message"]];

/** Returns mistakes whose errors have this code. */
export const mistakesOf = (code: string, rows: readonly Row[]): readonly Mistake[] =>
  rows.map(([call, field, message]) => ({ call, code, field, message }));
