/** Ends the process with one sentence: what stops a start is for the person who started it, not for a debugger. */
export function exitWithMessage(error: unknown): never {
  process.stderr.write(`${error instanceof Error && error.message !== '' ? error.message : String(error)}\n`);
  // oxlint-disable-next-line unicorn/no-process-exit -- the end of the process is what is asked for
  process.exit(1);
}
