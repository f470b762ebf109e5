// Writes docs/pictures/first-conversation.svg, an animated picture of a first conversation, from screens that the tests of
// the terminal recorded (`test/pty/screens`). `scripts/sync-snippets.mjs` runs it, so that the picture cannot become outdated.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

export const recordingPath = "docs/pictures/first-conversation.svg";

const frames = ["kept", "undone", "found", "forgotten", "started-again"].map((name) => `walk-${name}.80x24.txt`);
const secondsPerFrame = 5;
const columns = 80;
const rows = 24;
const cell = { width: 8.4, height: 18 };
const margin = 16;
/** Colours by the beginning of a row, as the dark theme of the chat has them. */
const colours = [
  [/^> ./u, "#f0f0f0"],
  [/^✎/u, "#8ec07c"],
  [/^(?:⏺|·|Enter send|main · )/u, "#8a8f98"],
];

/** Returns the picture: all frames, of which one is visible at a time; the last one where motion is not wanted. */
export function recordingOf(root) {
  const width = Math.round(columns * cell.width + 2 * margin);
  const height = rows * cell.height + 2 * margin;
  const length = frames.length * secondsPerFrame;
  const shown = 100 / frames.length;
  const pictures = frames.map((file, index) => {
    const lines = readFileSync(join(root, "test", "pty", "screens", file), "utf8")
      .trimEnd()
      .split("\n")
      .slice(0, -1);
    const texts = lines.slice(-rows).map(textOf).filter(Boolean);
    return `<g style="animation-delay:${index * secondsPerFrame}s">\n${texts.join("\n")}\n</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A first conversation in the terminal: a fact is kept, undone, found and forgotten, and the name is known after a restart">
<style>
text{font:14px ui-monospace,Menlo,Consolas,monospace;white-space:pre}
g{visibility:hidden;animation:frame ${length}s step-end infinite}
@keyframes frame{0%{visibility:visible}${shown}%{visibility:hidden}}
@media (prefers-reduced-motion:reduce){g{animation:none}g:last-of-type{visibility:visible}}
</style>
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
${pictures.join("\n")}
</svg>
`;
}

function textOf(line, row) {
  if (line.trim() === "") return "";
  const colour = colours.find(([beginning]) => beginning.test(line))?.[1] ?? "#d5d8dc";
  const y = margin + (row + 1) * cell.height - 4;

  return `<text x="${margin}" y="${y}" textLength="${(line.length * cell.width).toFixed(0)}" fill="${colour}" xml:space="preserve">${escaped(line)}</text>`;
}

/** Returns the text as XML, with what a user has instead of what the tests have. The sign of calls is in few fonts. */
function escaped(text) {
  const shown = text
    .replace("/tmp/pty-XXXXXX/data", "~/.palimpsest")
    .replace("⏺", "●")
    .replace(" 0.0.0", ` ${version}`);
  return shown.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
