// Addresses of the inspector: every place can be written and read, and every text is some place.
import { addressOf, agentPlace, overview, type Place, placeOf } from "../../../src/surfaces/inspector/session/place.ts";

const places: readonly (readonly [address: string, place: Place])[] = [
  ["#/", overview],
  ["#/health", { view: "health" }],
  ["#/evals", { view: "evals" }],
  ["#/agents/bo/memory", agentPlace("bo", "memory")],
  ["#/agents/a%20b%2Fc%3F/memory/la%2Fbel/3", agentPlace("a b/c?", "memory", ["la/bel", "3"])],
  [
    "#/agents/bo/search?query=tea+%26+100+%25&kind=recall",
    agentPlace("bo", "search", [], { query: "tea & 100 %", kind: "recall" }),
  ],
];

test.each(places)("%s", (address, place) => {
  expect(addressOf(place)).toBe(address);
  expect(placeOf(address)).toEqual(place);
});

test.each(["", "#", "#main", "#/agents", "#/agents/bo", "#/agents/bo/nothing", "#//", "#/?x=1"])(
  "%j is the overview",
  (address) => {
    expect(placeOf(address)).toEqual(overview);
  },
);

test("a part that is not well encoded is taken as it is", () => {
  expect(placeOf("#/agents/100%/memory")).toEqual(agentPlace("100%", "memory"));
});
