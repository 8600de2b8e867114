import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { S3Driver } from 'flydrive/drivers/s3';
import { AppError } from '#src/infra/errors.ts';
import { bucketFault } from './bucket-fault.ts';
import { incoming, type StorageDriver } from './storage.ts';

/** A bucket of S3, or of a service with its API. */
export interface Bucket {
  bucket: string;
  region: string;
  /** The address of a service other than AWS. */
  endpoint?: string | undefined;
  /** Left out: what the AWS SDK finds, such as the role of the machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
}

/** What is sent ahead of the answers to it: two parts of 5 MiB, the least that S3 takes, are in memory for each file. */
const partsAtOnce = 2;

class StreamingS3 extends S3Driver implements StorageDriver {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    // Buckets have access lists of objects switched off unless someone switched them on, and then refuse any.
    super({ client, bucket, visibility: 'private', supportsACL: false });
    this.#client = client;
    this.#bucket = bucket;
  }

  /** In parts, because flydrive's own needs to know the length. A source that fails leaves nothing behind. */
  override async putStream(key: string, contents: Readable): Promise<void> {
    const params = { Bucket: this.#bucket, Key: key, Body: contents };
    await new Upload({ client: this.#client, params, queueSize: partsAtOnce }).done();
  }

  async deleteUnfinished(before: Date, limit: number): Promise<number> {
    const Bucket = this.#bucket;
    const { Uploads = [] } = await this.#client.send(
      new ListMultipartUploadsCommand({ Bucket, Prefix: incoming, MaxUploads: limit }),
    );
    const old = Uploads.filter(({ Initiated }) => Initiated !== undefined && Initiated < before);
    for (const { Key, UploadId } of old)
      await this.#client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    return old.length;
  }
}

/**
 * A flydrive driver for createStorage that keeps objects in a bucket. Tries first whether it may do there what it will have to; throws an
 * error that says what to change where it may not.
 */
export async function openS3Driver(settings: Bucket): Promise<StorageDriver> {
  const { bucket, region, endpoint, credentials } = settings;
  const client = new S3Client({
    region,
    ...(credentials && { credentials }),
    // Services other than AWS seldom have a host name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Many of them refuse the trailing checksums that the SDK adds; what is read is compared with the hash in its key.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 60_000 },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw isBucketOutage(error) ? new AppError('UNAVAILABLE', outage, error) : error;
      }
    },
    { step: 'initialize', priority: 'high' },
  );
  const driver = new StreamingS3(client, bucket);
  try {
    await tryOut(driver);
  } catch (error) {
    throw new Error(bucketFault(error, settings), { cause: error });
  }
  return driver;
}

const outage = 'Stored files cannot be reached at the moment. Try again soon.';

/** Whether nobody answered, or the service said that it cannot. The SDK has tried three times by then. */
export function isBucketOutage(error: unknown): boolean {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  // The socket's errors have a code, and the time limits of the SDK a name.
  if ($metadata?.httpStatusCode === undefined)
    return error instanceof Error && ('code' in error || error.name === 'TimeoutError');
  return $metadata.httpStatusCode >= 500;
}

/** Does once all that storage does. */
async function tryOut(driver: StreamingS3): Promise<void> {
  const [key, copy] = [`${incoming}${randomUUID()}`, `${incoming}${randomUUID()}`];
  await driver.listAll(incoming, { recursive: true, maxResults: 1 });
  await driver.put(key, 'Causeway was started.');
  await driver.move(key, copy);
  await driver.getBytes(copy);
  await driver.delete(copy);
}
