import { S3Client } from '@aws-sdk/client-s3';
import { needField } from '#src/automation/node-api/credential-parts.ts';
import type { HttpPort, OpenCredential } from '#src/automation/node-api/ports.ts';
import { sendingOver } from './s3-requests.ts';

/** A client for the bucket of a credential. It does not retry; the step does. */
export async function openBucket(
  credential: OpenCredential,
  http: HttpPort,
  signal: AbortSignal,
): Promise<{ client: S3Client; bucket: string }> {
  const [bucket, region, accessKeyId, secretAccessKey, endpoint, pathStyle] = await Promise.all([
    needField(credential, 'bucket'),
    needField(credential, 'region'),
    needField(credential, 'access_key_id'),
    needField(credential, 'secret_access_key'),
    credential.field('endpoint'),
    credential.field('path_style'),
  ]);
  const client = new S3Client({
    region,
    // Always stated, because the SDK would otherwise read the environment of the operator.
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: pathStyle === 'true',
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: sendingOver(http, signal) as never,
  });
  return { client, bucket };
}

/** A path as the key of an object, which begins without a slash. */
export const toKey = (path: string): string => path.replace(/^\/+/, '');
