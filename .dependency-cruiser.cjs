// Who may import whom: the rules are made from `places`. Everything that is not listed there is refused: a new edge is a
// decision (docs/adr/0002).
const { places } = require("./.dependency-places.cjs");

const escape = (text) => text.replaceAll(/[./-]/gu, "\\$&");

function rulesOf([name, place]) {
  const { at, may, lazily, npm, node, typesOnly } = { may: [], lazily: [], npm: [], node: [], ...place };
  const from = { path: `^${at}` };
  const unknown = [...may, ...lazily].filter((other) => !places[other]);
  if (unknown.length > 0)
    throw new Error(`.dependency-cruiser.cjs: ${name} names ${unknown.join(", ")}: no such place`);
  const only = typesOnly ? { dependencyTypes: ["type-only"] } : {};
  const folders = ["", "node_modules/", "node_modules/@types/"];
  const packages = npm.flatMap((one) => folders.map((folder) => `^${folder}${escape(one)}(/|$)`));
  const builtins = node.map((one) => `^(node:)?${one}$`);
  const targets = [
    { path: from.path },
    ...may.map((other) => ({ path: `^${places[other].at}`, ...only })),
    ...lazily.map((other) => ({ path: `^${places[other].at}`, dynamic: true })),
    ...[packages, builtins].filter((path) => path.length > 0).map((path) => ({ path })),
  ];
  return targets.map((to) => ({ from, to }));
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
