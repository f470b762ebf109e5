// Adds up jest's JSON results, and prints which tests were not run, which failed, and `N passed, N failed` as its last line.
// Fails if a results file is missing, if no test ran in one of them, if a test or a whole file failed (a file that does not
// load has no tests to count), or if a skipped test's title does not give the reason in parentheses.
import { readFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";

let passed = 0;
let failed = 0;
let complete = process.argv.length > 2;
const failures = [];
for (const file of process.argv.slice(2)) {
  const results = read(file);
  if (!results || results.numPassedTests === 0) {
    complete = false;
    failures.push(`${file}: no test passed`);
  }
  if (!results) continue;
  passed += results.numPassedTests;
  for (const title of skippedTitles(results)) {
    const isExplained = /\([^)]{10,}\)/u.test(title);
    complete &&= isExplained;
    process.stdout.write(`${file}: not run: ${title}${isExplained ? "" : ", and its title does not tell why"}\n`);
  }
  failed += results.numFailedTests + results.numRuntimeErrorTestSuites;
  failures.push(...results.testResults.flatMap(failuresOf).map((failure) => `${file}: failed: ${failure}`));
}
for (const failure of failures) process.stdout.write(`${failure}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(complete && failed === 0 ? 0 : 1);

function skippedTitles({ testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return tests.filter(({ status }) => status === "pending").map(({ fullName }) => fullName);
}

/** Each failed test with the start of its message; or the file, if it failed by itself: when it was loaded, or after its tests. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = path.relative(process.cwd(), name);
  const tests = assertionResults.filter((test) => test.status === "failed");
  if (tests.length === 0) return status === "failed" ? [`${file}: ${startOf(message)}`] : [];
  return tests.map(({ fullName, failureMessages }) => `${file}: ${fullName}: ${startOf(failureMessages.join("\n"))}`);
}

function startOf(message) {
  const text = stripVTControlCharacters(message).replaceAll(/\s+/gu, " ").trim();
  return text.length > 800 ? `${text.slice(0, 800)}…` : text;
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    failures.push(`${file}: ${error.message}`);
    return undefined;
  }
}
