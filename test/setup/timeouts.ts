/** For a test that starts processes of the product and stops or kills them: each start is seconds of CPU. */
export const startsProcesses = { timeout: 240_000 };

/** For a test that follows a law over years of virtual time or hundreds of thousands of cases. */
export const computesLong = { timeout: 240_000 };

/** For a test that runs a dozen workflows, one after the other. */
export const runsManyWorkflows = { timeout: 180_000 };
