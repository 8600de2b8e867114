import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { outageRetryMs } from '#src/infra/postgres/outages.ts';
import { createDiskDriver } from '#src/infra/storage/storage-disk.ts';
import { createStorage, type Storage } from '#src/infra/storage/storage.ts';
import { backoff } from './backoff.ts';
import type { Env } from './env.ts';

const bucketWaitMs = 60_000;

/**
 * Opens the storage of files: the bucket of the settings, or DATA_DIR. Waits up to a minute for a bucket that is away, as for the database.
 * Throws an error with the reason if the bucket cannot be used.
 */
export async function openStorage(env: Env, log: Pick<Logger, 'warn'>): Promise<Storage> {
  const { S3_BUCKET: bucket, S3_REGION: region, S3_ENDPOINT: endpoint } = env;
  if (bucket === undefined) return createStorage(createDiskDriver(join(env.DATA_DIR, 'storage')));
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  const credentials =
    accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey };
  // Loaded only if it is used: the SDK of AWS takes longer to load than the rest of a process.
  const { isAway, openS3Driver } = await import('#src/infra/storage/storage-s3.ts');
  const deadline = Date.now() + bucketWaitMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return createStorage(await openS3Driver({ bucket, region, endpoint, credentials }));
    } catch (error) {
      if (!isAway(error) || Date.now() > deadline) throw error;
      log.warn({ reason: (error as Error).message }, 'The bucket is not there yet.');
      await delay(backoff(attempt, outageRetryMs));
    }
  }
}
