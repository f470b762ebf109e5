// The row of the cursor, asked of a terminal whose size changes meanwhile.
import { createPacedOutput } from "../../../src/surfaces/terminal/screen/paced-output.ts";
import { createPlaceQuestion } from "../../../src/surfaces/terminal/screen/ink-screen.ts";
import { createFakeTerminal } from "../../support/fake-terminal.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

const size = { columns: 80, rows: 24 };

function open(): { readonly place: ReturnType<typeof createPlaceQuestion>; readonly clock: ManualClock } {
  const { stdout } = createFakeTerminal(size);
  const clock = createManualClock();
  const output = createPacedOutput(stdout, clock, () => undefined);
  output.answered();
  return { place: createPlaceQuestion({ stdout, output, clock }), clock };
}

it("asks again while the terminal has another size", async () => {
  const { place, clock } = open();
  const row = place.cursorRow();
  place.report({ type: "size", size: { columns: 200, rows: 50 } });
  place.report({ type: "cursor", row: 3 });
  await clock.advance(0);
  await clock.advance(100);
  place.report({ type: "size", size });
  place.report({ type: "cursor", row: 5 });
  expect(await row).toBe(5);
});

it("takes the answer to a question from no newer one", async () => {
  const { place, clock } = open();
  const first = place.cursorRow();
  place.report({ type: "size", size: { columns: 200, rows: 50 } });
  place.report({ type: "cursor", row: 3 });
  await clock.advance(0);
  await clock.advance(50);
  const second = place.cursorRow();
  // The first would ask again now.
  await clock.advance(50);
  place.report({ type: "size", size });
  place.report({ type: "cursor", row: 5 });
  await clock.advance(5_000);
  expect([await first, await second]).toEqual([3, 5]);
});
