// Every operation of every contract with an id or a name that does not exist, and with another user's, through each surface: both
// are answered alike, with the code of the error for an unknown one, and nothing of either user is changed.
import { isDeepStrictEqual } from "node:util";
import type { FormKind } from "../../src/base/arguments/forms.ts";
import { rowsOf } from "../support/isolation-scene.ts";
import type { NamedOperation } from "./parity-row.ts";
import { openParity, type Parity, type Person } from "./parity-scene.ts";
import { operations } from "./rows/operation-rows.ts";
import { type Answer, type Args, argvOf, inApi, inCommand, inLibrary, requestOf } from "./surfaces.ts";

let parity: Parity;
beforeAll(async () => {
  parity = await openParity();
});
afterAll(() => parity.close());

const unknownId = "0198f1f0-0000-7000-8000-000000000000";

/** The codes for an unknown value of an argument, by its name; for `id`, by the group of the operation. */
const codes: Readonly<Record<string, string | null>> = {
  agent: "agent_not_found",
  conversationId: "conversation_not_found",
  turnId: "turn_not_found",
  stepId: "step_not_found",
  messageId: "message_not_found",
  fileId: "file_not_found",
  source: "source_not_found",
  tool: "tool_not_found",
  offer: "offer_not_found",
  callId: "approval_not_found",
  label: "module_not_found",
  passageId: null,
  "consolidation.id": "consolidation_not_found",
  "identities.id": "identity_not_found",
  "keys.id": "key_not_found",
  "mcpServers.id": "mcp_server_not_found",
  "modules.id": "module_unknown",
  "schedules.id": "schedule_not_found",
};

type MaybePlace = Omit<Place, "code"> & { readonly code: string | null | undefined };

/** A value among the arguments that names something. */
interface Place {
  readonly name: string;
  /** The code of the error for an unknown value; null if the call is answered without one. */
  readonly code: string | null;
  readonly kind: FormKind;
  read(args: Args): unknown;
  /** Returns the arguments with another value at this place. */
  write(args: Args, value: unknown): Args;
}

const unknownValue = ({ kind }: Place): unknown =>
  ({ id: unknownId, texts: [unknownId], list: [unknownId] })[kind as string] ?? "nobody";

function placesOf({ group, operation, row: { unknown = {} } }: NamedOperation, args: Args): readonly Place[] {
  const offset = group === "agent" ? 1 : 0;
  const codeOf = (name: string) => (name in unknown ? unknown[name] : (codes[`${group}.${name}`] ?? codes[name]));
  const places = operation.args.flatMap((argument, index): readonly MaybePlace[] => {
    const at = index + offset;
    const write = (all: Args, value: unknown): Args => [...all.slice(0, at), value, ...all.slice(at + 1)];
    if ("form" in argument) {
      const { name, form } = argument;
      return [{ name, code: codeOf(name), kind: form.kind, read: (all) => all[at], write }];
    }
    if (!("fields" in argument)) return [];
    return Object.keys(unknown).flatMap((name) => {
      const form = argument.fields[name];
      if (form === undefined) return [];
      const read = (all: Args) => (all[at] as Readonly<Record<string, unknown>> | undefined)?.[name];
      const set = (all: Args, value: unknown) => write(all, { ...(all[at] as object), [name]: value });
      return [{ name, code: unknown[name], kind: form.kind, read, write: set }];
    });
  });
  return places.filter((place): place is Place => place.code !== undefined && place.read(args) !== undefined);
}

describe.each(operations.map((named) => [named.call, named] as const))("%s", (call, named) => {
  const { row, operation } = named;
  const { http } = operation;
  let ada: Person;
  let args: Args;
  let bens: Args;
  let places: readonly Place[];
  let rows: readonly string[];

  beforeAll(async () => {
    const ben = parity.person(`${call}-ben`, "_ben");
    ada = parity.person(`${call}-library`);
    [args, bens] = [await row.args(ada), await row.args(ben)];
    places = placesOf(named, args);
    rows = await dump();
  });
  afterAll(async () => {
    if (places.every(({ code }) => code !== null)) expect(await dump()).toEqual(rows);
  });

  async function dump(): Promise<readonly string[]> {
    await ada.runtime.idle();
    return (await rowsOf({ test: parity.test }, ada.userId, `${call}-ben`)).map((row_) =>
      row_.replace(/"lease_fence": \d+/u, ""),
    );
  }

  /** Compares what is answered for an unknown value with what is answered for Ben's. */
  async function compare<Of>(
    ask: (args: Args) => Promise<Of>,
    check: (answer: Of, place: Place) => object,
  ): Promise<void> {
    for (const place of places) {
      const unknown = check(await ask(place.write(args, unknownValue(place))), place);
      // A label or a model is a name that both have.
      if (isDeepStrictEqual(place.read(args), place.read(bens))) continue;
      const foreign = check(await ask(place.write(args, place.read(bens))), place);
      expect({ name: place.name, ...foreign }).toEqual({ name: place.name, ...unknown });
    }
  }

  test("library", () =>
    compare(
      (given) => inLibrary(named, ada, given),
      (answer, { name, code }) => {
        const seen = outcome(answer);
        expect({ name, ...seen }).toMatchObject({ name, code });
        return seen;
      },
    ));

  if (typeof http !== "string")
    test("/api", () =>
      compare(
        (given) => inApi(parity, ada.userId, http, requestOf(named, http, given, ada.named("main"))),
        (answer, { name, code }) => {
          const found = name === "conversationId" ? "conversation_not_found" : (code ?? http.missing?.[0] ?? null);
          const status = found === "approval_not_found" ? 409 : 404;
          const seen = outcome(answer);
          expect({ name, ...seen }).toMatchObject({ name, code: found, ...(found !== null && { status }) });
          return seen;
        },
      ));

  if (row.cli !== undefined)
    test("command", () => {
      const valid = argvOf(row, args, ada);
      return compare(
        async (given) => {
          const argv = argvOf(row, given, ada);
          return isDeepStrictEqual(argv, valid) ? null : inCommand(named, ada, given);
        },
        (run, { name, code }) => {
          if (run === null || code === null) return {};
          const { argv: _argv, exitCode, stdout } = run;
          expect({ name, stdout, isFailed: exitCode > 0 }).toEqual({ name, stdout: "", isFailed: true });
          return { exitCode };
        },
      );
    });
});

/** What an answer says of a value; messages name the value itself. */
function outcome(answer: Answer): object {
  return "code" in answer ? { code: answer.code, status: answer.status } : { code: null, result: answer.result };
}
