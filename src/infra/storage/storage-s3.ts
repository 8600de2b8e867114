import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
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
  /** If absent, the AWS SDK finds its own, such as the role of the machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
}

/** Parts that are uploaded concurrently: two parts of 5 MiB, the smallest that S3 takes, are in memory for each file. */
const partsAtOnce = 2;

/** After so long without a response, the bucket is probed. */
const quietMs = 10_000;
const askMs = 900;

/** The state of a bucket, from the requests that it answered. */
interface Contact {
  answeredAt: number;
  isAway: boolean;
}

class StreamingS3 extends S3Driver implements StorageDriver {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #contact: Contact;
  #asking: Promise<boolean> | undefined;

  constructor(client: S3Client, bucket: string, contact: Contact) {
    // Buckets have object ACLs disabled by default, and then refuse requests that set one.
    super({ client, bucket, visibility: 'private', supportsACL: false });
    this.#client = client;
    this.#bucket = bucket;
    this.#contact = contact;
  }

  async isReachable(): Promise<boolean> {
    const { isAway, answeredAt } = this.#contact;
    if (!isAway && performance.now() - answeredAt < quietMs) return true;
    this.#asking ??= this.#client
      .send(new HeadBucketCommand({ Bucket: this.#bucket }), { abortSignal: AbortSignal.timeout(askMs) })
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  /** A multipart upload, because flydrive's own upload needs to know the length. A source that fails leaves nothing behind. */
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
 * A flydrive driver for createStorage that keeps objects in a bucket. First tries all operations that storage will need; throws an error
 * that says what to change if one is refused.
 */
export async function openS3Driver(settings: Bucket): Promise<StorageDriver> {
  const { bucket, region, endpoint, credentials } = settings;
  const client = new S3Client({
    region,
    ...(credentials && { credentials }),
    // Services other than AWS seldom have a host name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Many of them refuse the trailing checksums that the SDK adds; content is verified by the hash in its key instead.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 60_000 },
  });
  const contact: Contact = { answeredAt: 0, isAway: true };
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        const answer = await next(args);
        Object.assign(contact, { answeredAt: performance.now(), isAway: false });
        return answer;
      } catch (error) {
        if (!isBucketOutage(error)) throw error;
        contact.isAway = true;
        throw new AppError('UNAVAILABLE', outage, error);
      }
    },
    { step: 'initialize', priority: 'high' },
  );
  const driver = new StreamingS3(client, bucket, contact);
  try {
    await tryOut(driver);
  } catch (error) {
    throw new Error(bucketFault(error, settings), { cause: error });
  }
  return driver;
}

const outage = 'Stored files cannot be reached at the moment. Try again soon.';

/** True if nobody answered, or the service reported an error of its own. The SDK has tried three times by then. */
export function isBucketOutage(error: unknown): boolean {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  // The socket's errors have a code, and the time limits of the SDK a name.
  if ($metadata?.httpStatusCode === undefined)
    return error instanceof Error && ('code' in error || /^(TimeoutError|AbortError)$/.test(error.name));
  return $metadata.httpStatusCode >= 500;
}

/** True if a bucket could not be opened because it was away, not because access was refused. */
export const isAway = (error: unknown): boolean =>
  error instanceof Error && ((error instanceof AppError && error.code === 'UNAVAILABLE') || isAway(error.cause));

/** Tries every operation of storage once. */
async function tryOut(driver: StreamingS3): Promise<void> {
  const [key, copy] = [`${incoming}${randomUUID()}`, `${incoming}${randomUUID()}`];
  await driver.listAll(incoming, { recursive: true, maxResults: 1 });
  await driver.put(key, 'Causeway was started.');
  await driver.move(key, copy);
  await driver.getBytes(copy);
  await driver.delete(copy);
}
