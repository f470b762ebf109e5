// Adds up jest's JSON results and prints `N passed, N failed` as its last line. Fails if a results file is missing, if no
// test ran in one of them, if a test or a whole file failed (a file that does not load has no tests to count), or if a
// skipped test's title does not give the reason in parentheses.
import { readFileSync } from "node:fs";

let passed = 0;
let failed = 0;
let complete = process.argv.length > 2;
for (const file of process.argv.slice(2)) {
  const results = read(file);
  if (!results || results.numPassedTests === 0) {
    complete = false;
    process.stdout.write(`${file}: no test passed\n`);
  }
  if (!results) continue;
  passed += results.numPassedTests;
  for (const title of skippedTitles(results)) {
    const isExplained = /\([^)]{10,}\)/u.test(title);
    complete &&= isExplained;
    process.stdout.write(`${file}: not run: ${title}${isExplained ? "" : ", and its title does not tell why"}\n`);
  }
  failed += results.numFailedTests + results.numRuntimeErrorTestSuites;
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(complete && failed === 0 ? 0 : 1);

function skippedTitles({ testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return tests.filter(({ status }) => status === "pending").map(({ fullName }) => fullName);
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    process.stdout.write(`${file}: ${error.message}\n`);
    return undefined;
  }
}
