// `optimize`: what people read of it, the JSON that scripts rely on, and what is asked of the runtime.
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

async function optimize(...argv: string[]) {
  const runtime = createFakeRuntime();
  const result = await runInWorld(["optimize", ...argv], { runtime });
  return { ...result, calls: runtime.calls };
}

describe("optimize", () => {
  it("reports the result for each table, and slow work before it begins", async () => {
    const { stdout, stderr, exitCode, calls } = await optimize();
    expect(stdout).toBe(
      "Vacuumed and analyzed messages, passages in 1.3 s.\n" +
        "messages_512: 3,100 vectors, too few for an index to pay.\n" +
        "passages_512: 60,000 vectors, built the index in 31.2 s (156 MB).\n",
    );
    expect(stderr).toBe("palimpsest: Building the index of passages_512: 60,000 vectors.\n");
    expect({ exitCode, calls }).toEqual({ exitCode: 0, calls: [["optimize", null], ["close"]] });
  });

  it("prints the report as JSON", async () => {
    const { stdout } = await optimize("--json", "--quiet");
    expect(JSON.parse(stdout)).toMatchObject({
      analyzed: ["messages", "passages"],
      tables: [{ table: "messages_512" }, { table: "passages_512", outcome: "built", buildSeconds: 31.24 }],
    });
  });
});
