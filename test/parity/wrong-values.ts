// Wrong arguments of an operation, made from its contract: each argument and option missing, of another type, or with a bad value.
// Invariant: pure; the other arguments are those of the valid call.
import type { Fields, Form, FormKind, ListForm, OptionsForm } from "../../src/base/arguments/forms.ts";
import type { Argument, Operation, OptionsArgument } from "../../src/runtime/contract.ts";
import type { Args } from "./surfaces.ts";

export interface WrongCall {
  /** What is wrong: `text = 5`. */
  readonly title: string;
  readonly args: Args;
  /** The argument or option, as an error names it. */
  readonly field: string;
  /** A sentence of the error that says what to do instead. */
  readonly remedy?: string;
  /** The wrong value. */
  readonly value: unknown;
  readonly kind?: FormKind;
  /** Whether the value cannot be sent as JSON, or is valid there. */
  readonly isOwn?: boolean;
  /** Whether a name is wrong: no option has it. */
  readonly isUnknown?: true;
  /** Whether a value that is required is absent. */
  readonly isAbsent?: true;
}

interface WrongValue {
  readonly value: unknown;
  /** The path within the value: `[0]`. */
  readonly at?: string;
  readonly isOwn?: boolean;
}

/** Values that the check of a form refuses. */
export function wrongValues(form: Form<unknown>): readonly WrongValue[] {
  const values = valuesFor(form);
  return form.isNullable || form.kind === "json" || form.kind === "program" ? values : [...values, { value: null }];
}

const noNumber = [{ value: "x" }, { value: Number.NaN, isOwn: true }];
const noObject = [{ value: 5 }, { value: [1] }];
const noObjects = [{ value: 5 }, { value: [5], at: "[0]" }];

const byKind: { readonly [Kind in FormKind]: (form: Form<unknown>) => readonly WrongValue[] } = {
  text: () => [{ value: 5 }, { value: { a: 1 } }],
  id: () => [{ value: 5 }],
  day: () => [{ value: 5 }],
  flag: () => [{ value: "yes" }, { value: 1 }],
  moment: () => [{ value: "tomorrow" }, { value: new Date(Number.NaN), isOwn: true }],
  count: () => [{ value: "x" }, { value: -1 }, { value: 1.5 }],
  number: () => noNumber,
  choice: () => [{ value: "nonsense" }, { value: 5 }],
  texts: () => [...noObjects, { value: "one", isOwn: true }],
  list: (form) => [{ value: 5 }, ...wrongItems((form as ListForm<unknown>).item)],
  objects: () => noObjects,
  records: () => noObjects,
  object: () => noObject,
  record: () => noObject,
  options: (form) => [{ value: 5 }, { value: { nonsense: 1 }, at: ".nonsense" }, ...wrongFields(form as OptionsForm)],
  json: () => [],
  program: () => [],
};

const valuesFor = (form: Form<unknown>): readonly WrongValue[] => byKind[form.kind](form);

function wrongItems(item: Form<unknown>): readonly WrongValue[] {
  const [first] = valuesFor(item);
  return first === undefined ? [] : [{ value: [first.value], at: `[0]${first.at ?? ""}` }];
}

/** The required fields of options within options, each of another type. */
const wrongFields = ({ fields, required }: OptionsForm): readonly WrongValue[] =>
  required.flatMap((name) => {
    const [first] = valuesFor(fields[name] as Form<unknown>);
    if (first === undefined) return [];
    const others = Object.fromEntries(
      required.filter((other) => other !== name).map((other) => [other, sampleOf(fields[other]!)]),
    );
    return [{ value: { ...others, [name]: first.value }, at: `.${name}${first.at ?? ""}` }];
  });

function sampleOf({ kind }: Form<unknown>): unknown {
  const samples: Partial<Record<FormKind, unknown>> = {
    object: {},
    moment: new Date(0),
    flag: true,
    count: 1,
    number: 1,
  };
  return samples[kind] ?? "x";
}

/** Returns the wrong calls of an operation. `offset`: arguments of the call before those of the contract. */
export const wrongCalls = ({ args: all }: Operation, valid: Args, offset = 0): readonly WrongCall[] =>
  all.flatMap((argument, index) => {
    const at = index + offset;
    const withValue = (value: unknown): Args => [...valid.slice(0, at), value, ...valid.slice(at + 1)];
    return wrongOf(argument, valid[at]).map(({ passed, ...wrong }) => ({ ...wrong, args: withValue(passed) }));
  });

/** `passed`: the whole argument. */
type Wrong = Omit<WrongCall, "args"> & { readonly passed: unknown };

function wrongOf(argument: Argument, valid: unknown): readonly Wrong[] {
  if ("check" in argument) return [];
  if ("fields" in argument) return wrongOptions(argument, (valid ?? {}) as object);
  const { name, form, isOptional } = argument;
  const wrong = wrongIn(name, form).map((each) => ({ ...each, passed: each.value }));
  return isOptional || form.isNullable || form.kind === "json"
    ? wrong
    : [...wrong, { ...absent(name), passed: undefined }];
}

const absent = (name: string) => ({ title: `${name} absent`, field: name, value: undefined, isAbsent: true }) as const;

/** The wrong values of one argument or option. */
function wrongIn(name: string, form: Form<unknown>): readonly Omit<Wrong, "passed">[] {
  return wrongValues(form).map(({ value, at = "", isOwn = false }) => ({
    title: `${name} = ${JSON.stringify(value)}`,
    field: `${name}${at}`,
    kind: form.kind,
    value,
    isOwn,
  }));
}

function wrongOptions(argument: OptionsArgument, valid: object): readonly Wrong[] {
  const { name, fields, own = {}, required, otherNames, isOptional } = argument;
  const whole = (passed: unknown): Wrong => ({
    title: `${name} = ${String(passed)}`,
    field: name,
    value: passed,
    passed,
    isOwn: true,
  });
  const unknown = (option: string, remedy = ""): Wrong => {
    return {
      title: `${option} = 1`,
      field: option,
      value: 1,
      remedy,
      isUnknown: true,
      passed: { ...valid, [option]: 1 },
    };
  };
  const without = (option: string) => Object.fromEntries(Object.entries(valid).filter(([key]) => key !== option));
  const inFields = (of: Fields) =>
    Object.entries(of).flatMap(([option, form]) =>
      wrongIn(option, form).map((wrong) => ({ ...wrong, passed: { ...valid, [option]: wrong.value } })),
    );
  return [
    whole(5),
    ...(isOptional ? [] : [whole(undefined)]),
    unknown("nonsense"),
    ...Object.entries(otherNames).map(([option, remedy]) => unknown(option, remedy)),
    ...required.map((option) => ({ ...absent(option), passed: without(option) })),
    ...inFields(fields),
    ...inFields(own).map((wrong) => ({ ...wrong, isOwn: true })),
  ];
}
