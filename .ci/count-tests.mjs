/**
 * Prints `N passed, N failed` from a vitest JSON report and fails unless something passed and nothing failed. A file that
 * could not be loaded holds no tests, so it counts as one that failed.
 */
import { readFileSync } from 'node:fs';

/** @returns {{ passed: number, failed: number }} */
const count = (path) => {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
    return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length };
  } catch (error) {
    console.error(`No test report: ${error.message}`);
    return { passed: 0, failed: 0 };
  }
};

const { passed, failed } = count(process.argv[2]);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
