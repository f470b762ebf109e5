// When the screen may draw: not while its terminal changes its size, and always afterwards.
import { createInkScreen, type InkScreen } from "../../../src/surfaces/terminal/screen/ink-screen.ts";
import { createFakeTerminal, type FakeTerminal } from "../../support/fake-terminal.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

interface Scene extends FakeTerminal {
  readonly screen: InkScreen;
  readonly clock: ManualClock;
  /** The numbers of lines that were to be rendered again. */
  readonly renders: number[];
  readonly resizes: () => number;
  draw(live: string): void;
  redraw(): Promise<void>;
}

function open(): Scene {
  const terminal = createFakeTerminal({ columns: 80, rows: 24 });
  const clock = createManualClock();
  let resizes = 0;
  const screen = createInkScreen({
    terminal: terminal.stdout,
    clock,
    onResize() {
      resizes += 1;
    },
  });
  terminal.stdin.on("data", (answer: string) => {
    if (answer.endsWith("R")) screen.answered({ type: "cursor", row: terminal.model.cursor().y });
    else if (answer.endsWith("n")) screen.answered({ type: "status" });
  });
  const renders: number[] = [];
  const draw = (live: string): void => {
    for (const text of ["\u001b[?2026h", `${live}\n`, "\u001b[?2026l"]) screen.stdout.write(text);
  };
  const redraw = (): Promise<void> =>
    screen.redraw((lines) => {
      renders.push(lines);
      return Promise.resolve(() => 0);
    });
  return { ...terminal, screen, clock, renders, resizes: () => resizes, draw, redraw };
}

const shown = ({ model }: Scene): string => model.everything().join("\n");

it("draws nothing from a change of size until the redraw", async () => {
  const scene = open();
  scene.draw("before");
  scene.stdout.emit("resize");
  scene.draw("meanwhile");
  expect(shown(scene)).toBe("before");
  await scene.clock.advance(79);
  expect(scene.resizes()).toBe(0);
  await scene.clock.advance(1);
  expect(scene.resizes()).toBe(1);
  expect(shown(scene)).toBe("before");
  await scene.redraw();
  expect(shown(scene)).toBe("meanwhile");
});

it("a redraw that begins while the size changes leaves it to the one after the change", async () => {
  const scene = open();
  scene.draw("before");
  scene.stdout.emit("resize");
  await scene.redraw();
  expect(scene.renders).toEqual([]);
  await scene.clock.advance(80);
  expect(scene.resizes()).toBe(1);
  await scene.redraw();
  expect(scene.renders).toEqual([0]);
  scene.draw("after");
  expect(shown(scene)).toBe("after");
});

it("a change of size ends a redraw that waits for the terminal", async () => {
  const scene = open();
  scene.draw("before");
  const waiting = scene.redraw();
  scene.stdout.emit("resize");
  await waiting;
  expect(scene.renders).toEqual([]);
  await scene.clock.advance(80);
  await scene.redraw();
  expect([scene.renders, scene.resizes()]).toEqual([[0], 1]);
});
