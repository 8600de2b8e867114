import type { NodeCallFailure } from './node-runtime.ts';

/** The error codes of executions whose error has no code. */
export const failureCodes: Readonly<Record<NodeCallFailure, string>> = {
  threw: 'NODE_THREW',
  timeout: 'TIMEOUT',
  memory: 'OUT_OF_MEMORY',
  cancelled: 'CANCELLED',
  crashed: 'RUNTIME_CRASHED',
  unavailable: 'RUNTIME_UNAVAILABLE',
  invalid_result: 'INVALID_RESULT',
  output_too_large: 'OUTPUT_TOO_LARGE',
};
