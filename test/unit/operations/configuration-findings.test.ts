// The doctor's findings on the permissions of the configuration file and the file of secrets.
import type { ConfigurationFacts } from "../../../src/config/settings/configuration-facts.ts";
import { configurationFindings } from "../../../src/runtime/doctor/configuration-findings.ts";

const file = (mode: number | null) => ({ path: "/c.json", mode });
const well: ConfigurationFacts = { file: file(0o600), plainKeys: [], secrets: null };

describe("the doctor on a configuration", () => {
  it.each<readonly [string, ConfigurationFacts, object]>([
    ["no file", { ...well, file: null }, { verdict: "ok", advice: null }],
    ["a file of its owner's", well, { verdict: "ok", found: "/c.json can be read (600).", advice: null }],
    [
      "a key in a file of its owner's",
      { ...well, plainKeys: ["openaiApiKey"] },
      { verdict: "ok", found: "/c.json can be read (600)." },
    ],
    ["a file that others may read, without a key", { ...well, file: file(0o644) }, { verdict: "ok" }],
    [
      "a file that others may read, with a key",
      { ...well, file: file(0o640), plainKeys: ["openaiApiKey"] },
      { verdict: "warning", found: expect.stringContaining("openaiApiKey"), advice: "Run chmod 600 /c.json." },
    ],
    [
      "a file that others may change",
      { ...well, file: file(0o664) },
      { verdict: "warning", found: expect.stringContaining("(664)"), advice: "Run chmod go-w /c.json." },
    ],
    ["a file that anybody may change", { ...well, file: file(0o602) }, { verdict: "warning" }],
    [
      "a system without rights",
      { ...well, file: file(null), plainKeys: ["openaiApiKey"] },
      { verdict: "ok", found: "/c.json can be read." },
    ],
  ])("of %s", (_what, configuration, expected) => {
    expect(configurationFindings(configuration)).toEqual([
      expect.objectContaining({ check: "configuration", ...expected }),
    ]);
  });

  it.each([
    [0o600, "ok", null],
    [null, "ok", null],
    [0o604, "warning", expect.stringContaining("chmod 600 /s.json")],
  ])("rates secrets of %p as %s", (mode, verdict, advice) => {
    const [, secrets] = configurationFindings({ ...well, secrets: { path: "/s.json", mode } });
    expect(secrets).toMatchObject({ check: "secrets", verdict, advice });
  });
});
