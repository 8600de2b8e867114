import { compareGraphs } from './breaking-changes.ts';

// Compares the graph of the current directory with that of the last version, and fails if the changelog does not list a breaking change.

const { faults, summary } = await compareGraphs('.');
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else if (summary !== undefined) console.log(summary);
