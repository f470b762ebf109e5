// A row of the table of operations: valid arguments of one operation, and what the call gives and leaves.
// Invariant: `operationRows` does not compile without a row for each operation of each contract.
import type { AgentFunctions } from "../../src/agent/agent.ts";
import { contracts } from "../../src/runtime/contracts.ts";
import type { Operation } from "../../src/runtime/contract.ts";
import { openAgentContract } from "../../src/runtime/open-agents/contract.ts";
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import type { Person, Talk } from "./parity-scene.ts";

type MayPromise<Value> = Value | Promise<Value>;

/** A command line that calls the operation with the same arguments: its words, or a text as a shell takes it. */
type CommandLine = readonly string[] | string;

interface CommandWithInput {
  readonly argv: CommandLine;
  readonly input: string;
}

export interface Row<Args extends readonly unknown[] = readonly unknown[], Result = unknown> {
  /** Makes what the arguments name, and returns them. */
  args(person: Person): MayPromise<Args>;
  /** Set if the call changes what it returns, so that each surface needs arguments of its own. */
  readonly isOwn?: true;
  /** A part of what the library returns, as JSON; a function of the arguments if it has their ids. */
  readonly gives: unknown;
  /** Reads what the call has changed, and a part of it as JSON. */
  readonly leaves?: readonly [read: (person: Person, args: Args) => unknown, expected: unknown];
  /** The command, or its words alone. */
  readonly cli?: (args: Args, person: Person) => CommandLine | CommandWithInput;
  /** What the command prints as JSON for a result of the library: default the result itself; null: more than this operation. */
  readonly json?: ((result: Result, args: Args) => unknown) | null;
  /** What the command prints without `--json`, if it is JSON for a program: one value, or one on each line. */
  readonly prints?: "json" | "lines";
  /**
   * The codes of the errors for an unknown id, by the name of the argument, where it is not the usual one of refused-calls.test.ts;
   * null: it is answered without an error; undefined: nothing is unknown.
   */
  readonly unknown?: Readonly<Record<string, string | null | undefined>>;
}

type ResultOf<Function_> = Function_ extends (...args: never[]) => infer Result
  ? Result extends AsyncIterable<infer Item>
    ? readonly Item[]
    : Awaited<Result>
  : never;
type ArgsOf<Function_> = Function_ extends (...args: infer Args) => unknown ? Readonly<Args> : never;

type Contracts = typeof contracts;

/** The rows of a group of a runtime's functions. */
export type GroupRows<Group extends keyof Contracts> = {
  readonly [Name in keyof Contracts[Group] & keyof UserRuntime[Group]]: Row<
    ArgsOf<UserRuntime[Group][Name]>,
    ResultOf<UserRuntime[Group][Name]>
  >;
};

/** The rows of an open agent's functions; the first of their arguments is the conversation in which the agent is open. */
export type AgentRows = {
  readonly [Name in keyof typeof openAgentContract]: Row<readonly [Talk, ...ArgsOf<AgentFunctions[Name]>]>;
};

/** A row whose arguments are not known to the compiler. */
export type AnyRow = Row<readonly unknown[], never>;

export interface NamedOperation {
  /** As errors write it: `schedules.create`. */
  readonly call: string;
  readonly group: string;
  readonly name: string;
  readonly operation: Operation;
  readonly row: AnyRow;
}

type AllRows = { readonly [Group in keyof Contracts]: GroupRows<Group> } & { readonly agent: AgentRows };

/** Returns the operations of all contracts with their rows. */
export function withRows(rows: AllRows): readonly NamedOperation[] {
  const all: Readonly<Record<string, object>> = { ...contracts, agent: openAgentContract };
  const loose = rows as unknown as Readonly<Record<string, Readonly<Record<string, AnyRow>>>>;
  return Object.entries(all).flatMap(([group, contract]) =>
    Object.entries(contract as Readonly<Record<string, Operation>>).map(([name, operation]) => {
      const row = loose[group]?.[name];
      if (row === undefined) throw new Error(`${group}.${name} has no row. Add one in test/parity/rows.`);
      return { call: `${group}.${name}`, group, name, operation, row };
    }),
  );
}
