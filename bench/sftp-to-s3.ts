import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { sftpConfig, startSftpServer } from '#test/infra/sftp/sftp-server.ts';
import { s3Config, startS3Server } from '#test/infra/storage/s3-server.ts';
import { measureFileMemory } from './lib/file-memory.ts';

/**
 * Measures the peak memory of a worker whose workflow copies a file from an SFTP server into a bucket, compared with a file of 1 MiB. Needs
 * Debian's Swift. `node bench/sftp-to-s3.ts [MiB=1024]`
 */
const [mebibytes = 1_024] = process.argv.slice(2).map(Number);
const chunk = Buffer.alloc(2 ** 20, 'The goods are in the warehouse. ');

const sftp = await startSftpServer();
const s3 = await startS3Server();
const bucket = await s3.makeBucket('files');
const client = new S3Client({ ...bucket, forcePathStyle: true });

const hashes = new Map<number, string>();
for (const size of [1, mebibytes]) {
  const file = await open(join(sftp.root, String(size)), 'w');
  const hash = createHash('sha256');
  for (let written = 0; written < size; written += 1) {
    await file.write(chunk);
    hash.update(chunk);
  }
  await file.close();
  hashes.set(size, hash.digest('hex'));
}

await measureFileMemory({
  figure: 'sftp-to-s3-memory',
  mebibytes,
  nodes: [
    { id: 'get', node: 'core:get-file', config: { credential: 1, path: '{{ trigger.payload.body.size }}' } },
    {
      id: 'put',
      node: 'core:put-file',
      config: { credential: 2, path: 'in/', content: '{{ nodes.get.outputs.file }}' },
    },
  ],
  allow: `127.0.0.1:${sftp.port},${new URL(bucket.endpoint).host}`,
  credentials: [
    { credential_type_slug: 'core:sftp', name: 'ERP', config: sftpConfig(sftp) },
    { credential_type_slug: 'core:s3', name: 'Archive', config: s3Config(bucket) },
  ],
  async assertArrived(size) {
    const { Body: body } = await client.send(new GetObjectCommand({ Bucket: 'files', Key: `in/${size}` }));
    const hash = createHash('sha256');
    for await (const bytes of body as AsyncIterable<Uint8Array>) hash.update(bytes);
    if (hash.digest('hex') !== hashes.get(size)) throw new Error('Other bytes arrived than were sent.');
  },
});
client.destroy();
await s3.stop();
await sftp.close();
