// Who may import whom: the rules are made from `rooms`. Everything that is not listed there is refused: a new edge is a decision
// (docs/adr/0002).
const { readdirSync } = require("node:fs");
const { rooms } = require("./.dependency-rooms.cjs");

const places = Object.assign({}, ...Object.values(rooms));
const roomNames = Object.keys(rooms);
const roomOf = (name) => roomNames.find((room) => name in rooms[room]);
const escape = (text) => text.replaceAll(/[./-]/gu, "\\$&");
const fail = (text) => {
  throw new Error(`.dependency-rooms.cjs: ${text}`);
};

const everyAt = Object.values(places).flatMap(({ at }) => at);
const twice = everyAt.filter((at, index) => everyAt.indexOf(at) !== index);
if (twice.length > 0) fail(`two places are at ${twice.join(", ")}: a file belongs to one place`);
for (const folder of ["src", "tools", "bin"])
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = `${entry.parentPath}/${entry.name}`;
    if (entry.isFile() && !everyAt.some((at) => file.startsWith(at))) fail(`${file} is in no place`);
  }

/** The files of a place: those below `at`, without other places within it. */
function filesOf({ at }) {
  const within = everyAt.filter((other) => !at.includes(other) && at.some((own) => other.startsWith(own)));
  const pattern = (paths) => `^(${paths.map((path) => escape(path) + (path.endsWith("/") ? "" : "$")).join("|")})`;
  return { path: pattern(at), ...(within.length > 0 ? { pathNot: pattern(within) } : {}) };
}

/** The places that a name in `may` stands for: a place, or all of a room. */
function placesOf(name, by) {
  if (!(name in places) && !(name in rooms)) fail(`${by} names ${name}: no such place or room`);
  const named = name in places ? [name] : Object.keys(rooms[name]);
  const below = named.find((one) => roomNames.indexOf(roomOf(one)) > roomNames.indexOf(roomOf(by)));
  if (below) fail(`${by} is in ${roomOf(by)} and may not import ${below}, which is in ${roomOf(below)}`);
  return named.filter((one) => one !== by).map((one) => places[one]);
}

function rulesOf([name, place]) {
  const { may, lazily, npm, node, typesOnly } = { may: [], lazily: [], npm: [], node: [], ...place };
  const only = typesOnly ? { dependencyTypes: ["type-only"] } : {};
  const folders = ["", "node_modules/", "node_modules/@types/"];
  const packages = npm.flatMap((one) => folders.map((folder) => `^${folder}${escape(one)}(/|$)`));
  const builtins = node.map((one) => `^(node:)?${one}$`);
  const targets = [
    filesOf(place),
    ...may.flatMap((other) => placesOf(other, name)).map((other) => ({ ...filesOf(other), ...only })),
    ...lazily.flatMap((other) => placesOf(other, name)).map((other) => ({ ...filesOf(other), dynamic: true })),
    ...[packages, builtins].filter((path) => path.length > 0).map((path) => ({ path })),
  ];
  return targets.map((to) => ({ from: filesOf(place), to }));
}

module.exports = {
  forbidden: [
    {
      name: "no-circular",
      comment: "Two files that import each other, also by types, are one file in two halves: move what both need.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "not-to-unresolvable",
      comment: "The file or package is not there.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^node-llama-cpp" },
    },
  ],
  allowed: Object.entries(places).flatMap(rulesOf),
  allowedSeverity: "error",
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|coverage|\\.cache)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    moduleSystems: ["es6"],
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".cjs", ".json", ".d.ts"],
    },
  },
};
