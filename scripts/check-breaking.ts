import { compareGraphs } from './breaking-changes.ts';

// Compares the graph of the directory it runs in with that of the last version, and fails where the changelog does not tell what breaks.

const { faults, summary } = await compareGraphs('.');
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else if (summary !== undefined) console.log(summary);
