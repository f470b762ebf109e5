// Which lines go as a whole when something in them is forgotten: those of which only a name or a label would be left.
import { createRedactor } from "../../../src/base/redactor.ts";
import { textsOfSubject } from "../../../src/store/forgetting/subject-lines.ts";

const redactor = createRedactor(["getting divorced", "She told me in confidence", "4711"]);
const found = (line: string) => textsOfSubject([line], redactor);

describe("a line of a subject", () => {
  it.each([
    "Karin Dahl, getting divorced. She told me in confidence.",
    "Karin: getting divorced",
    "- Karin and Tom de Vries – getting divorced",
    "Karin Dahl\ngetting divorced",
    "Marital status: getting divorced",
    "Getting divorced. She told me in confidence!",
    "PIN 4711",
  ])("has only a name or a label besides: %s", (line) => {
    expect(found(line)).toEqual([line]);
  });

  it.each([
    "Karin Dahl, my neighbour, getting divorced.",
    "Karin Dahl, getting divorced. Lives in Bergen.",
    "Likes tea. 4711.",
    "Friends: Karin, Tom, 4711",
    "The code 4711 is old.",
    "Anna likes Tea, 4711",
    "Karin Dahl lives in Bergen.",
    '{"name":"Karin","status":"getting divorced"}',
    "What she said about the house in May: 4711",
  ])("says something else: %s", (line) => {
    expect(found(line)).toEqual([]);
  });
});
