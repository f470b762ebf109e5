// Hints name the command that the user can type again.
import { nameCommand, type ProcessStart, startedCommand } from "../../../src/base/started-command.ts";

const clone = "/home/ada/palimpsest/dist/program/palimpsest.js";

function started(start: Partial<ProcessStart>): string {
  return startedCommand({ env: {}, script: "/usr/local/bin/palimpsest", workingFolder: "/home/ada", ...start });
}

describe("startedCommand", () => {
  it.each([
    ["a global installation", {}, "palimpsest"],
    [
      "npm start in a clone",
      { env: { npm_package_name: "palimpsest", npm_lifecycle_event: "start" }, script: clone },
      "npm start --",
    ],
    [
      "another project's npm start",
      {
        env: { npm_package_name: "app", npm_lifecycle_event: "start" },
        script: "/home/ada/app/node_modules/.bin/palimpsest",
        workingFolder: "/home/ada/app",
      },
      "npx palimpsest",
    ],
    [
      "npx",
      { env: { npm_command: "exec" }, script: "/root/.npm/_npx/1/node_modules/.bin/palimpsest" },
      "npx palimpsest",
    ],
    [
      "the project's node_modules, from a folder below",
      {
        script: "/home/ada/app/node_modules/palimpsest/dist/program/palimpsest.js",
        workingFolder: "/home/ada/app/src",
      },
      "npx palimpsest",
    ],
    [
      "a global installation on Windows",
      {
        script: "C:\\Users\\Ada\\AppData\\Roaming\\npm\\node_modules\\palimpsest\\dist\\program\\palimpsest.js",
        workingFolder: "C:\\Users\\Ada\\work",
      },
      "palimpsest",
    ],
    ["node in the clone", { script: clone, workingFolder: "/home/ada/palimpsest" }, "node dist/program/palimpsest.js"],
    ["node elsewhere", { script: clone, workingFolder: "/tmp" }, `node ${clone}`],
    [
      "node with a space in the path",
      { script: "/home/ada/my work/palimpsest.js", workingFolder: "/tmp" },
      'node "/home/ada/my work/palimpsest.js"',
    ],
  ] as const)("%s", (_, start, command) => {
    expect(started(start)).toBe(command);
  });
});

describe("nameCommand", () => {
  it("replaces the program's name in hints only", () => {
    const text = "`palimpsest` and `palimpsest -r 1` are hints; palimpsest and `palimpsests` are not.";
    expect(nameCommand(text, "npm start --")).toBe(
      "`npm start` and `npm start -- -r 1` are hints; palimpsest and `palimpsests` are not.",
    );
    expect(nameCommand(text, "palimpsest")).toBe(text);
  });
});
