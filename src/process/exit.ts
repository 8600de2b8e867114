/** Exits with the message alone: a failed start is reported to an operator, who needs no stack. */
export function exitWithMessage(error: unknown): never {
  process.stderr.write(`${error instanceof Error && error.message !== '' ? error.message : String(error)}\n`);
  // oxlint-disable-next-line unicorn/no-process-exit -- exiting is the purpose of this function
  process.exit(1);
}
