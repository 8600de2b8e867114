import type { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import { isPlainName } from '#src/infra/text/plain-name.ts';
import { baseName } from './config.ts';
import { toConnectionError } from './node-errors.ts';
import type { Connecting, Listing, RemoteFile, RemoteFiles } from './remote-files.ts';
import { openBucket, toKey } from './s3-client.ts';

/** Runs `work` with the files of a bucket. */
export async function withS3Files<T>(
  { credential, http, signal }: Connecting,
  work: (files: RemoteFiles) => Promise<T>,
): Promise<T> {
  const { client, bucket } = await openBucket(credential, http, signal);
  try {
    return await work(filesIn(client, bucket));
  } catch (error) {
    throw signal.aborted ? signal.reason : toNodeError(error);
  }
}

const refusedKeys = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken']);

/** Shows only the name of an error, because the message of a service may repeat the signed request. */
function toNodeError(error: unknown): unknown {
  if (error instanceof EgressError && error.code === 'aborted')
    return new NodeError('S3_TIMEOUT', 'The service did not answer for too long.', { retryable: true, cause: error });
  if (!(error instanceof S3ServiceException)) return toConnectionError('S3', error);
  const { httpStatusCode: status = 0 } = error.$metadata;
  const name = /^\w{1,64}$/.test(error.name) ? error.name : 'an error';
  const fail = (code: string, message: string, retryable = false): NodeError =>
    new NodeError(code, `${message} It answered ${status} (${name}).`, { retryable, cause: error });
  if (status === 404) return fail('S3_NOT_FOUND', 'The bucket or the file does not exist.');
  if (refusedKeys.has(name)) return fail('S3_AUTH', 'The service does not accept the access key or its secret.');
  if (status === 401 || status === 403) return fail('S3_PERMISSION', 'The service does not permit this.');
  if (status === 429 || status >= 500) return fail('S3_UNAVAILABLE', 'The service cannot do this at the moment.', true);
  return fail('S3_REFUSED', 'The service refused this. Check the endpoint, the region and the bucket.');
}

const filesIn = (client: S3Client, bucket: string): RemoteFiles => ({
  list: (listing) => list(client, bucket, listing),
  async open(path) {
    const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: toKey(path) }));
    return {
      name: baseName(path),
      path,
      type: got.ContentType,
      size: got.ContentLength ?? 0,
      modified_at: toText(got.LastModified),
      content: got.Body as Readable,
    };
  },
  /** Sends a file of any size in one request. Its hash is already known, so the file need not be read before it is sent. */
  async put(path, { stream, size, sha256, type }) {
    const body = await stream();
    const put = new PutObjectCommand({
      Bucket: bucket,
      Key: toKey(path),
      Body: body,
      ContentLength: size,
      ContentType: type,
    });
    put.middlewareStack.add(
      (next) => (args) => {
        (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = sha256;
        return next(args);
      },
      { step: 'build' },
    );
    try {
      await client.send(put);
    } finally {
      body.destroy();
    }
  },
  async move(from, to) {
    // Some services copy an object to itself, and the copy would be deleted.
    if (toKey(from) === toKey(to)) return;
    const source = `${bucket}/${toKey(from).split('/').map(encodeURIComponent).join('/')}`;
    await client.send(new CopyObjectCommand({ Bucket: bucket, Key: toKey(to), CopySource: source }));
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: toKey(from) }));
  },
  async remove(path) {
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: toKey(path) })).catch((error: unknown) => {
      if (!(error instanceof S3ServiceException && error.name === 'NoSuchKey')) throw error;
    });
  },
});

const toText = (date: Date | undefined): string => (date ?? new Date(0)).toISOString();

/** A limit for pages, because a service may send short pages without end. */
const maxPages = 100;

async function list(
  client: S3Client,
  bucket: string,
  { directory, prefix, after, limit }: Listing,
): Promise<{ files: RemoteFile[]; complete: boolean }> {
  const folder = directory === '' || directory === '/' ? '' : `${toKey(directory).replace(/\/+$/, '')}/`;
  const files: RemoteFile[] = [];
  let token: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const {
      Contents = [],
      NextContinuationToken: next,
      IsTruncated: isCut = false,
    } = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: folder + prefix,
        Delimiter: '/',
        ...(after !== '' && { StartAfter: folder + after }),
        ...(token !== undefined && { ContinuationToken: token }),
      }),
    );
    for (const { Key: key = '', Size: size = 0, LastModified: modified } of Contents) {
      const name = key.slice(folder.length);
      if (!key.startsWith(folder) || !isPlainName(name)) continue;
      if (files.length === limit) return { files, complete: false };
      files.push({ name, path: key, size, modified_at: toText(modified) });
    }
    if (!isCut || next === undefined) return { files, complete: true };
    token = next;
  }
  throw new NodeError('S3_TOO_MANY_FILES', 'The list does not end. Name a directory or a beginning of the names.');
}
