import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { HttpPort, OpenCredential } from '#src/automation/node-api/ports.ts';
import { openBucket, toKey } from './s3-client.ts';

/** A signed link to an object. It is computed, so nothing is sent, and the object need not exist. */
export async function createLink(
  credential: OpenCredential,
  http: HttpPort,
  path: string,
  seconds: number,
): Promise<string> {
  const { client, bucket } = await openBucket(credential, http, AbortSignal.abort());
  return getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: toKey(path) }), { expiresIn: seconds });
}
