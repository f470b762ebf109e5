// A slip of the fingers finds its word; another word does not.
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

  it("finds nothing where nothing is near", () => {
    expect(nearestName("weather", ["agents", "memory"])).toBeUndefined();
    expect(nearestName("", ["agents"])).toBeUndefined();
    expect(nearestName("x", [])).toBeUndefined();
  });

  it("takes the nearest, and of equally near ones the first", () => {
    expect(nearestName("scot", ["scout", "spot", "scott"])).toBe("scout");
    expect(nearestName("scott", ["scout", "scott"])).toBe("scott");
  });
});
