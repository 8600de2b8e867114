import { join } from 'node:path';
import { createDiskDriver } from '#src/infra/storage/storage-disk.ts';
import { createStorage, type Storage } from '#src/infra/storage/storage.ts';
import type { Env } from './env.ts';

/** Opens where files are stored: the bucket of the settings, or DATA_DIR. Throws where the bucket cannot be used, and says why. */
export async function openStorage(env: Env): Promise<Storage> {
  const { S3_BUCKET: bucket, S3_REGION: region, S3_ENDPOINT: endpoint } = env;
  if (bucket === undefined) return createStorage(createDiskDriver(join(env.DATA_DIR, 'storage')));
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  const credentials =
    accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey };
  // Loaded only where it is used: the SDK of AWS takes longer to load than the rest of a process.
  const { openS3Driver } = await import('#src/infra/storage/storage-s3.ts');
  return createStorage(await openS3Driver({ bucket, region, endpoint, credentials }));
}
