// Every operation of every contract with wrong arguments, through each surface: an error in the words of the surface that names
// what is wrong, and nothing is changed. A smaller key than the contract asks for is refused, too.
import type { HttpOperation } from "../../src/runtime/contract.ts";
import { scopes } from "../../src/surfaces/http/route.ts";
import { rowsOf } from "../support/isolation-scene.ts";
import type { NamedOperation } from "./parity-row.ts";
import { openParity, type Parity, type Person } from "./parity-scene.ts";
import { operations } from "./rows/operation-rows.ts";
import { type Args, argvOf, inApi, inLibrary, pathArguments, requestOf, runArgv, sentAs } from "./surfaces.ts";
import { wrongCalls, type WrongCall } from "./wrong-values.ts";
import { wrongLines } from "./wrong-lines.ts";

let parity: Parity;
beforeAll(async () => {
  parity = await openParity();
});
afterAll(() => parity.close());

describe.each(operations.map((named) => [named.call, named] as const))("%s", (call, named) => {
  const { operation, row, group } = named;
  const { http } = operation;
  let person: Person;
  let args: Args;
  let wrong: readonly WrongCall[];
  let rows: readonly string[];

  beforeAll(async () => {
    person = parity.person(`${call}-library`);
    args = await row.args(person);
    wrong = wrongCalls(operation, args, group === "agent" ? 1 : 0);
    rows = await dump();
  });
  afterAll(async () => {
    expect(await dump()).toEqual(rows);
  });

  async function dump(): Promise<readonly string[]> {
    await person.runtime.idle();
    return rowsOf({ test: parity.test }, person.userId);
  }

  test("library", async () => {
    for (const { title, args: given, field, remedy = "" } of wrong) {
      const answer = await inLibrary(named, person, given);
      expect({ title, ...answer }).toMatchObject({ title, field, code: "input_invalid" });
      const { message } = answer as { readonly message: string };
      expect(message).toMatch(/expected|unknown option/u);
      for (const part of [`${call}: `, `\`${field}\``, remedy]) expect(message).toContain(part);
    }
  });

  if (typeof http !== "string") {
    test("/api", async () => {
      const part = /^(?:GET|DELETE) /u.test(http.route) ? "query" : "body";
      for (const one of wrong.filter((each) => isSent(named, http, each))) {
        const answer = await inApi(parity, person.userId, http, requestOf(named, http, one.args, person.named("main")));
        const place = one.isUnknown === true ? part : `${part}.${one.field.split(/[.[]/u)[0] ?? ""}`;
        const field = expect.stringMatching(new RegExp(`^${place}`, "u")) as string;
        const expected = { title: one.title, code: "request_invalid", status: 400, field };
        expect({ title: one.title, ...answer }).toMatchObject(expected);
      }
    });

    const smaller = scopes[scopes.indexOf(http.scope) - 1];
    if (smaller !== undefined)
      test("a smaller key", async () => {
        const request = requestOf(named, http, args, person.named("main"));
        const answer = await sentAs(parity, { userId: person.userId, scope: smaller }, { http, request });
        expect(answer).toMatchObject({ status: 403, code: "key_scope" });
      });
  }

  if (row.cli !== undefined)
    test("command", async () => {
      for (const [argv, expected] of await wrongLines(argvOf(row, args, person))) {
        const { exitCode, stdout, stderr } = await runArgv(person, argv);
        const refusal = { argv, exitCode: 2, stdout: "", stderr: expect.stringContaining(expected) as string };
        expect({ argv, exitCode, stdout, stderr }).toEqual(refusal);
      }
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
