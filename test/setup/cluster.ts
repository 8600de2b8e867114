import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inject } from 'vitest';

/** Puts an empty cluster where a server of the test's own will find it: making one anew (initdb) takes a second of CPU. */
export const copyCluster = (dataDir: string): Promise<void> => copy(inject('clusters').empty, dataDir);

/** Puts a cluster with the template database in place: migrating an empty one takes another second. */
export const copyMigratedCluster = (dataDir: string): Promise<void> => copy(inject('clusters').migrated, dataDir);

async function copy(cluster: string, dataDir: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', cluster, dataDir]);
}
