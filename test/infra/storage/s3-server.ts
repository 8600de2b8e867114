import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { Bucket } from '#src/infra/storage/storage-s3.ts';

export const lacksS3 = !existsSync('/usr/bin/swift-proxy-server');
export const s3Suffix = lacksS3
  ? ' (skipped: apt-get install swift-proxy swift-account swift-container swift-object)'
  : '';

/** The config of a credential for a bucket. */
export const s3Config = ({ bucket, region, endpoint, credentials }: Required<Bucket>) => ({
  bucket,
  region,
  endpoint,
  path_style: true,
  access_key_id: credentials.accessKeyId,
  secret_access_key: credentials.secretAccessKey,
});

export interface S3Server {
  /** Makes a bucket and answers how its owner opens it. */
  makeBucket(name: string): Promise<Required<Bucket>>;
  stop(): Promise<void>;
}

/**
 * OpenStack Swift, as Debian has it: a store of objects that is used in production, with the API of S3. Beside the owner of the buckets it
 * knows a user `test:guest`, who may use none.
 */
export async function startS3Server(): Promise<S3Server> {
  // In memory, where there is such a directory: it waits for the disk after each step.
  const dir = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'causeway-swift-'));
  const script = join(import.meta.dirname, 's3-server.py');
  const server = spawn('/usr/bin/python3', [script, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  const [port] = (await Promise.race([once(server.stdout, 'data'), ended])) as [Buffer | number];
  const access = {
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${String(port).trim()}`,
    credentials: { accessKeyId: 'test:owner', secretAccessKey: 'one' },
  };
  const client = new S3Client({ ...access, forcePathStyle: true });
  return {
    async makeBucket(bucket) {
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
      return { ...access, bucket };
    },
    async stop() {
      client.destroy();
      server.kill('SIGKILL');
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
