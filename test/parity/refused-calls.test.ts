// Every operation of every contract with calls that are refused, through each surface: wrong arguments, with an error in the words of
// the surface that names what is wrong; a key of a smaller scope; and ids and names that do not exist, are no ids, or are another
// user's, which are answered alike, with the code of the error for an unknown one. Nothing of either user is changed.
import { isDeepStrictEqual } from "node:util";
import type { FormKind } from "../../src/base/arguments/forms.ts";
import type { HttpOperation } from "../../src/runtime/contract.ts";
import { recordKinds } from "../../src/store/port/record-kinds.ts";
import { scopes } from "../../src/surfaces/http/route.ts";
import { rowsOf } from "../support/isolation-scene.ts";
import { useScene } from "../support/use-scene.ts";
import type { NamedOperation } from "./parity-row.ts";
import { openParity, type Person } from "./parity-scene.ts";
import { operations } from "./rows/operation-rows.ts";
import {
  type Answer,
  type Args,
  argvOf,
  inApi,
  inCommand,
  inLibrary,
  pathArguments,
  requestOf,
  runArgv,
  sentAs,
} from "./surfaces.ts";
import { wrongCalls, type WrongCall } from "./wrong-values.ts";
import { wrongLines } from "./wrong-lines.ts";

const parity = useScene(() => openParity());

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
  "keys.id": "key_not_found",
  "mcpServers.id": "mcp_server_not_found",
  "modules.id": "module_unknown",
  "schedules.id": "schedule_not_found",
  ...Object.fromEntries(Object.entries(recordKinds).map(([group, { notFound }]) => [`${group}.id`, notFound])),
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
  const { operation, row, group } = named;
  const { http } = operation;
  const userId = `${call}-library`;
  let ada: Person;
  let args: Args;
  let bens: Args;
  let wrong: readonly WrongCall[];
  let places: readonly Place[];
  let rows: readonly string[];

  beforeAll(async () => {
    const ben = parity.person(`${call}-ben`, "_ben");
    ada = parity.person(userId);
    [args, bens] = [await row.args(ada), await row.args(ben)];
    wrong = wrongCalls(operation, args, group === "agent" ? 1 : 0);
    places = placesOf(named, args);
    rows = await dump();
  });
  afterAll(async () => {
    if (places.every(({ code }) => code !== null)) expect(await dump()).toEqual(rows);
  });

  async function dump(): Promise<readonly string[]> {
    await ada.runtime.idle();
    return (await rowsOf({ test: parity.test }, userId, `${call}-ben`)).map((row_) =>
      row_.replace(/"lease_fence": \d+/u, ""),
    );
  }

  /** Compares what is answered for an unknown value with what is answered for Ben's, and for an id of this form. */
  async function compare<Of>(
    ask: (args: Args) => Promise<Of>,
    check: (answer: Of, place: Place) => object,
    otherId?: string,
  ): Promise<void> {
    for (const place of places) {
      const expected = check(await ask(place.write(args, unknownValue(place))), place);
      const others = place.kind === "id" && otherId !== undefined ? [otherId] : [];
      // A label or a model is a name that both have.
      const foreign = isDeepStrictEqual(place.read(args), place.read(bens)) ? [] : [place.read(bens)];
      for (const value of [...others, ...foreign]) {
        const seen = check(await ask(place.write(args, value)), place);
        expect({ name: place.name, value, ...seen }).toEqual({ name: place.name, value, ...expected });
      }
    }
  }

  test("wrong arguments of the library", async () => {
    for (const { title, args: given, field, remedy = "" } of wrong) {
      const answer = await inLibrary(named, ada, given);
      expect({ title, ...answer }).toMatchObject({ title, field, code: "input_invalid" });
      const { message } = answer as { readonly message: string };
      expect(message).toMatch(/expected|unknown option/u);
      for (const part of [`${call}: `, `\`${field}\``, remedy]) expect(message).toContain(part);
    }
  });

  if (typeof http !== "string") {
    test("wrong fields of /api", async () => {
      const part = /^(?:GET|DELETE) /u.test(http.route) ? "query" : "body";
      for (const one of wrong.filter((each) => isSent(named, http, each))) {
        const answer = await inApi(parity, ada.userId, http, requestOf(named, http, one.args, ada.named("main")));
        const place = one.isUnknown === true ? part : `${part}.${one.field.split(/[.[]/u)[0] ?? ""}`;
        const field = expect.stringMatching(new RegExp(`^${place}`, "u")) as string;
        const expected = { title: one.title, code: "request_invalid", status: 400, field };
        expect({ title: one.title, ...answer }).toMatchObject(expected);
      }
    });

    const smaller = scopes[scopes.indexOf(http.scope) - 1];
    if (smaller !== undefined)
      test("a smaller key", async () => {
        const request = requestOf(named, http, args, ada.named("main"));
        const answer = await sentAs(parity, { userId: ada.userId, scope: smaller }, { http, request });
        expect(answer).toMatchObject({ status: 403, code: "key_scope" });
      });
  }

  if (row.cli !== undefined)
    test("wrong words of the command", async () => {
      for (const [argv, expected] of await wrongLines(argvOf(row, args, ada))) {
        const { exitCode, stdout, stderr } = await runArgv(ada, argv);
        const refusal = { argv, exitCode: 2, stdout: "", stderr: expect.stringContaining(expected) as string };
        expect({ argv, exitCode, stdout, stderr }).toEqual(refusal);
      }
    });

  test("wrong calls change nothing", async () => {
    expect(await dump()).toEqual(rows);
  });

  test("unknown names in the library", () =>
    compare(
      (given) => inLibrary(named, ada, given),
      (answer, { name, code }) => {
        const seen = outcome(answer);
        expect({ name, ...seen }).toMatchObject({ name, code });
        return seen;
      },
      "no 'id",
    ));

  if (typeof http !== "string")
    test("unknown names in /api", () =>
      compare(
        (given) => inApi(parity, ada.userId, http, requestOf(named, http, given, ada.named("main"))),
        (answer, { name, code }) => {
          const found = name === "conversationId" ? "conversation_not_found" : (code ?? http.missing?.[0] ?? null);
          const status = found === "approval_not_found" ? 409 : 404;
          const seen = outcome(answer);
          expect({ name, ...seen }).toMatchObject({ name, code: found, ...(found !== null && { status }) });
          if ("message" in answer) expect(answer.message).not.toMatch(/`(?:runtime|agent|host)\./u);
          return seen;
        },
      ));

  if (row.cli !== undefined)
    test("unknown names in the command", () => {
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

/**
 * Whether a wrong value is wrong in a request, too: values of a path and of a query are texts, and absent ones are absent from
 * it.
 */
function isSent(
  named: NamedOperation,
  http: HttpOperation,
  { isOwn, isUnknown, isAbsent, kind, field, value }: WrongCall,
): boolean {
  const inPath = named.operation.args.slice(0, pathArguments(named, http).length).map(({ name }) => name);
  if (isOwn === true || inPath.includes(field)) return false;
  if (isUnknown === true || isAbsent === true || /^(?:POST|PUT|PATCH) /u.test(http.route)) return true;
  return kind !== "text" && kind !== "texts" && value !== null;
}

/** What an answer says of a value; messages name the value itself. */
function outcome(answer: Answer): object {
  return "code" in answer ? { code: answer.code, status: answer.status } : { code: null, result: answer.result };
}
