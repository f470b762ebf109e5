// Tests run as native ES modules; swc strips the types (it does not check them: `npm run check:types` does).
const swc = (tsx) => [
  "@swc/jest",
  {
    sourceMaps: "inline",
    module: { type: "es6" },
    jsc: {
      target: "es2022",
      parser: { syntax: "typescript", tsx },
      transform: { verbatimModuleSyntax: true, react: { runtime: "automatic" } },
    },
  },
];

// Where these are set, Ink draws the last frame alone.
// oxlint-disable-next-line node/no-process-env -- no file of the tests runs before Ink is loaded in all of them
for (const name of ["CI", "CONTINUOUS_INTEGRATION"]) delete process.env[name];

export default {
  testEnvironment: "<rootDir>/test/support/test-file-environment.mjs",
  roots: ["<rootDir>/test"],
  testMatch: ["**/*.test.ts", "**/*.test.tsx"],
  // test/pty needs tmux, test/browser Chromium: `npm run test:pty`, `npm run test:browser`.
  testPathIgnorePatterns: [
    "/node_modules/",
    "<rootDir>/test/fixtures/",
    "<rootDir>/test/pty/",
    "<rootDir>/test/browser/",
  ],
  modulePathIgnorePatterns: ["<rootDir>/dist/", "<rootDir>/.cache/"],
  setupFiles: ["<rootDir>/test/support/one-error-class.ts"],
  extensionsToTreatAsEsm: [".ts", ".tsx"],
  transform: { "\\.ts$": swc(false), "\\.tsx$": swc(true) },
  watchman: false,
  coverageProvider: "v8",
  collectCoverageFrom: ["src/**/*.{ts,tsx}", "tools/**/*.ts", "!**/*.d.ts"],
  coverageDirectory: "coverage",
  cacheDirectory: "<rootDir>/.cache/jest-transform",
  // Against tests that never end; a shared processor makes a test many times slower.
  testTimeout: 240_000,
  // For two processors: a fifth of the tests' time is spent waiting for processes and time-outs.
  maxWorkers: 3,
  // Each file's modules stay in memory; a worker that has seen a hundred of them spends its time collecting garbage.
  workerIdleMemoryLimit: "1GB",
};
