import type { FileDeps } from '#src/automation/files/run-files.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { Batcher } from '#src/infra/postgres/batching/batcher.ts';
import { type Call, createCallBatcher, type StoredCall } from './call-storing.service.ts';
import { createEndpointLookup, type EndpointLookup } from './endpoint-lookup.service.ts';
import type { Refused } from './refusals.inputs.ts';
import { createRefusalBatcher } from './refusals.service.ts';

/** The state that receiving calls shares in a process. */
export interface Inbound {
  /** Topics whose events no call may publish. */
  ownTopics: ReadonlySet<string>;
  endpoints: EndpointLookup;
  calls: Batcher<Call, StoredCall>;
  refusals: Batcher<Refused, null>;
  /** Where binary bodies are stored. */
  files: FileDeps;
}

export const openInbound = (
  deps: Pick<Deps, 'database' | 'redactor' | 'vault'> & RunQueue & FileDeps,
  ownTopics: ReadonlySet<string>,
): Inbound => ({
  ownTopics,
  endpoints: createEndpointLookup(deps),
  calls: createCallBatcher(deps),
  refusals: createRefusalBatcher(deps.database),
  files: deps,
});

/** Resolves when nothing is in progress. */
export const drainInbound = async ({ calls, refusals }: Inbound): Promise<void> => {
  await Promise.all([calls.drain(), refusals.drain()]);
};
