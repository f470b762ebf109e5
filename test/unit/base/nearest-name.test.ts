// A typing error finds its word; another word does not.
import { nearestName } from "../../../src/base/nearest-name.ts";

describe("nearestName", () => {
  it.each([
    ["agnets", "agents"],
    ["modles", "models"],
    ["Memory", "memory"],
    ["recal", "recall"],
    ["archive", "archival"],
  ])("%s is near %s", (typed, expected) => {
    expect(nearestName(typed, ["agents", "memory", "recall", "archival", "models"])).toBe(expected);
  });

  it("finds nothing if no name is near", () => {
    expect(nearestName("weather", ["agents", "memory"])).toBeUndefined();
    expect(nearestName("", ["agents"])).toBeUndefined();
    expect(nearestName("x", [])).toBeUndefined();
  });

  it("returns the nearest, and the first of equally near ones", () => {
    expect(nearestName("scot", ["scout", "spot", "scott"])).toBe("scout");
    expect(nearestName("scott", ["scout", "scott"])).toBe("scott");
  });
});
