// Makes text from models, tools and memory safe to show on a terminal.
// Invariant: the result cannot move the cursor, set the title or the clipboard, or reverse the reading order; each
// character is examined a bounded number of times, so the work is linear in the length of the text.

/** Strips control sequences from a streamed text. A sequence is removed completely even if it spans several pieces. */
export interface ControlStripper {
  /** Adds a piece. Returns the text that is now known to be safe and was not returned before. */
  push(piece: string): string;
  /** Returns the rest of the text, which `push` held back. The stripper can then be reused for another text. */
  end(): string;
}

/**
 * Returns the text without escape sequences (CSI, OSC, DCS, APC, PM, SOS and the short ones, 7-bit and 8-bit, also
 * unterminated), control characters other than line feed and tab, and bidirectional overrides. A lone carriage return
 * becomes a line feed. An unterminated string sequence ends at its line end, so that it cannot hide the rest of a text.
 */
export function stripControl(text: string): string {
  const stripper = createControlStripper();
  return stripper.push(text) + stripper.end();
}

/** Creates a stripper for streamed text. In any division into pieces, the result equals that of `stripControl` for the text. */
export function createControlStripper(): ControlStripper {
  let state: State = "text";
  return {
    push(piece) {
      if (state === "text" && !suspicious.test(piece)) return piece;
      let kept = "";
      let index = 0;
      while (index < piece.length) {
        const step = states[state](piece.charCodeAt(index));
        state = step.next;
        if (step.action === "keep") kept += piece[index];
        else if (step.action === "break-again") kept += "\n";
        if (step.action === "keep" || step.action === "drop") index += 1;
      }
      return kept;
    },
    end() {
      const held = state === "carriage-return" ? "\n" : "";
      state = "text";
      return held;
    },
  };
}

type State =
  | "text"
  | "carriage-return"
  | "escape"
  | "escape-intermediate"
  | "control-sequence"
  | "string"
  | "string-escape";

/** With `again` and `break-again`, the next state examines the same character once more. */
interface Step {
  readonly next: State;
  readonly action: "keep" | "drop" | "again" | "break-again";
}

// oxlint-disable-next-line no-control-regex -- this file searches for control characters
const suspicious = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

const keep: Step = { next: "text", action: "keep" };
const drop: Step = { next: "text", action: "drop" };
const again: Step = { next: "text", action: "again" };
const rescanAfterBreak: Step = { next: "text", action: "break-again" };
const into = (next: State): Step => ({ next, action: "drop" });
const carriageReturn = into("carriage-return");
const escape = into("escape");
const escapeIntermediate = into("escape-intermediate");
const controlSequence = into("control-sequence");
const string = into("string");
const stringEscape = into("string-escape");
const escapeAgain: Step = { next: "escape", action: "again" };

const states: Readonly<Record<State, (unit: number) => Step>> = {
  text: (unit) => introducers.get(unit) ?? (isForbidden(unit) ? drop : keep),
  "carriage-return": (unit) => (unit === 0x0a ? again : rescanAfterBreak),
  escape: (unit) => {
    const introducer = escapeIntroducers.get(unit);
    if (introducer !== undefined) return introducer;
    if (isIntermediate(unit)) return escapeIntermediate;
    return unit >= 0x30 && unit <= 0x7e ? drop : again;
  },
  "escape-intermediate": (unit) => {
    if (isIntermediate(unit)) return escapeIntermediate;
    return unit >= 0x30 && unit <= 0x7e ? drop : again;
  },
  "control-sequence": (unit) => {
    if (unit >= 0x20 && unit <= 0x3f) return controlSequence;
    return unit >= 0x40 && unit <= 0x7e ? drop : again;
  },
  string: (unit) => {
    if (unit === 0x1b) return stringEscape;
    if (unit === 0x0a || unit === 0x0d) return again;
    return stringEnds.has(unit) ? drop : string;
  },
  "string-escape": (unit) => (unit === 0x5c ? drop : escapeAgain),
};

/** Characters that start a sequence in plain text: CR, ESC, and the 8-bit forms of DCS, SOS, CSI, OSC, PM and APC. */
const introducers = new Map<number, Step>([
  [0x0d, carriageReturn],
  [0x1b, escape],
  [0x9b, controlSequence],
  ...[0x90, 0x98, 0x9d, 0x9e, 0x9f].map((unit): [number, Step] => [unit, string]),
]);

/** Characters after ESC: `[` for CSI; `P X ] ^ _` for DCS, SOS, OSC, PM and APC. */
const escapeIntroducers = new Map<number, Step>([
  [0x1b, escape],
  [0x5b, controlSequence],
  ...[0x50, 0x58, 0x5d, 0x5e, 0x5f].map((unit): [number, Step] => [unit, string]),
]);

/** Characters that end a string sequence: BEL, CAN, SUB and the 8-bit string terminator. */
const stringEnds: ReadonlySet<number> = new Set([0x07, 0x18, 0x1a, 0x9c]);

function isIntermediate(unit: number): boolean {
  return unit >= 0x20 && unit <= 0x2f;
}

function isForbidden(unit: number): boolean {
  if (unit < 0x20) return unit !== 0x0a && unit !== 0x09;
  if (unit >= 0x7f && unit <= 0x9f) return true;
  return (unit >= 0x202a && unit <= 0x202e) || (unit >= 0x2066 && unit <= 0x2069);
}
