import type { Bucket } from './storage-s3.ts';

/** What the operator should do, by the error name of S3. */
const advice: Record<string, (bucket: Bucket) => string> = {
  NoSuchBucket: ({ bucket }) => `There is no bucket ${bucket}. Create it, or correct S3_BUCKET.`,
  InvalidAccessKeyId: unknownKey,
  SignatureDoesNotMatch: unknownKey,
  InvalidToken: unknownKey,
  ExpiredToken: () => 'The credentials have expired. Renew them.',
  CredentialsProviderError: () =>
    'No credentials were found. Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or give the machine a role.',
  AccessDenied: ({ bucket }) =>
    `The key may not use the bucket ${bucket}. Allow it s3:ListBucket and s3:ListBucketMultipartUploads on the bucket, and s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload on its objects.`,
  PermanentRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  RequestTimeTooSkewed: () => 'The clock of this machine is wrong. Set it.',
};

function unknownKey(): string {
  return 'The service does not know S3_ACCESS_KEY_ID with this S3_SECRET_ACCESS_KEY. Correct them.';
}

function otherRegion({ bucket, region }: Bucket): string {
  return `The bucket ${bucket} is not in ${region}. Correct S3_REGION.`;
}

/** A sentence for the operator on why a bucket cannot be used and what to change. */
export function bucketFault(error: unknown, settings: Bucket): string {
  const known = listCauses(error).find(({ name }) => Object.hasOwn(advice, name));
  const where = `Files cannot be stored at ${settings.endpoint ?? `AWS S3 in ${settings.region}`}.`;
  if (known) return `${where} ${advice[known.name]?.(settings)}`;
  const [last] = listCauses(error).slice(-1);
  return `${where} The last attempt ended with: ${last?.message}. Check S3_ENDPOINT, S3_REGION and the network.`;
}

const listCauses = (error: unknown): Error[] => (error instanceof Error ? [error, ...listCauses(error.cause)] : []);
