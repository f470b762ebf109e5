// The limits of a JSON text, found without parsing it.
import { exceededLimit } from "../../../src/surfaces/http/read-input.ts";

const limits = { nesting: 3, values: 10 };
const exceeded = (json: string) => exceededLimit(Buffer.from(json), limits);

test.each([
  ["[[[1]]]", null],
  ["[[[[1]]]]", "nesting"],
  ['{"a":{"b":{"c":{}}}}', "nesting"],
  ["[1,2,3,4,5,6,7,8,9]", null],
  ["[1,2,3,4,5,6,7,8,9,10]", "values"],
  ['{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}', "values"],
  ["[[],[],[],[],[],[]]", "values"],
  ['"[[[[,,,,,,,,,,,,,"', null],
  ['["\\"[[[[,,,,,,,,,,,,"]', null],
  [`["${"x".repeat(200)}\\"[[[[[[${"y".repeat(200)}\\\\",1]`, null],
  [`["${"x".repeat(200)}\\\\",[[[[1]]]]]`, "nesting"],
  [`["${"x".repeat(63)}\\",${"[".repeat(20)}"]`, null],
  [`["${"x".repeat(100)}`, null],
])("%s exceeds %s", (json, limit) => {
  expect(exceeded(json)).toBe(limit);
});
