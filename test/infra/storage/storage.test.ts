import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import {
  CreateMultipartUploadCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { FSDriver } from 'flydrive/drivers/fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDiskDriver } from '#src/infra/storage/storage-disk.ts';
import { type Bucket, isBucketOutage, openS3Driver } from '#src/infra/storage/storage-s3.ts';
import { createStorage, incoming, objectKey, type StorageDriver } from '#src/infra/storage/storage.ts';
import { createFullDisk } from './full-disk.ts';
import { lacksS3, type S3Server, s3Suffix, startS3Server } from './s3-server.ts';

const maxBytes = 1_000_000;
const hourMs = 3_600_000;

const openDisk = async () => {
  const root = await mkdtemp(join(tmpdir(), 'causeway-storage-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return createDiskDriver(root);
};

let s3: S3Server;
const openBucket = async () => openS3Driver(await s3.makeBucket(randomUUID()));

const over = (openDriver: () => Promise<StorageDriver>) => async () => {
  const driver = await openDriver();
  const files = async () => [...(await driver.listAll('/', { recursive: true })).objects];
  return { driver, files, storage: createStorage(driver) };
};

const stores = [
  { name: 'on disk', lacks: false, open: over(openDisk) },
  { name: `in a bucket${s3Suffix}`, lacks: lacksS3, open: over(openBucket) },
];

beforeAll(async () => {
  if (!lacksS3) s3 = await startS3Server();
}, 90_000);
afterAll(async () => {
  if (!lacksS3) await s3.stop();
});

/** Another address of the service at a port of this machine; once it is closed, nobody answers there. */
async function openWay(port: number): Promise<{ endpoint: string; close: () => Promise<void> }> {
  const sockets: Socket[] = [];
  const way = createServer((caller) => {
    const onward = connect(port, '127.0.0.1');
    sockets.push(caller, onward);
    pipeline(caller, onward, caller).catch(() => undefined);
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(way.address() as AddressInfo).port}`,
    async close() {
      way.close();
      for (const socket of sockets) socket.destroy();
      await once(way, 'close');
    },
  };
}

const hash = createHash('sha256').update('x').digest('hex');
const otherKeys = [
  '',
  '../secrets',
  `sha256/../${hash}`,
  `sha256/zz/${hash}`,
  `sha256/00/${hash}`,
  objectKey(hash).toUpperCase(),
  `${objectKey(hash)}/`,
  `${objectKey(hash)}\n`,
  `/${objectKey(hash)}`,
  'incoming/1',
];

for (const { name, lacks, open } of stores) {
  describe.skipIf(lacks)(`storage ${name}`, () => {
    test('bytes and streams are stored under their hash and read back', async () => {
      const { storage } = await open();
      const content = randomBytes(300_000);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const stored = await storage.put(content, { maxBytes });
      expect(stored).toEqual({ key: `sha256/${sha256.slice(0, 2)}/${sha256}`, sha256, bytes: 300_000 });
      expect((await storage.get(stored.key, { maxBytes })).equals(content)).toBe(true);
      const chunks = [content.subarray(0, 100_000), content.subarray(100_000)];
      expect(await storage.put(Readable.from(chunks), { maxBytes })).toEqual(stored);
    });

    test('the same bytes are stored once, even when they arrive concurrently', async () => {
      const { storage, files } = await open();
      const results = await Promise.all(
        Array.from({ length: 8 }, () => storage.put(Buffer.from('same'), { maxBytes })),
      );
      expect(new Set(results.map(({ key }) => key)).size).toBe(1);
      expect(await files()).toHaveLength(1);
    });

    test('an empty object is stored, too', async () => {
      const { storage } = await open();
      const { key } = await storage.put(Readable.from([]), { maxBytes });
      expect(await storage.get(key, { maxBytes })).toHaveLength(0);
    });

    test('content over the cap is refused and leaves nothing behind', async () => {
      const { storage, files } = await open();
      await expect(storage.put(Buffer.alloc(11), { maxBytes: 10 })).rejects.toMatchObject({
        code: 'PAYLOAD_TOO_LARGE',
      });
      const endless = Readable.from(
        (function* () {
          for (;;) yield Buffer.alloc(1_000);
        })(),
      );
      await expect(storage.put(endless, { maxBytes: 10_000 })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
      expect(endless.destroyed).toBe(true);
      expect(await files()).toEqual([]);
    });

    test('a source that fails leaves nothing behind', async () => {
      const { storage, files } = await open();
      const failing = Readable.from(
        (function* () {
          yield Buffer.from('half');
          throw new Error('the upload broke off');
        })(),
      );
      await expect(storage.put(failing, { maxBytes })).rejects.toThrow('the upload broke off');
      expect(await files()).toEqual([]);
    });

    test('reading over the cap is refused', async () => {
      const { storage } = await open();
      const { key } = await storage.put(Buffer.alloc(11), { maxBytes });
      await expect(storage.get(key, { maxBytes: 10 })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    });

    test('deletion is final and idempotent', async () => {
      const { storage } = await open();
      const { key } = await storage.put(Buffer.from('gone'), { maxBytes });
      expect(await storage.exists(key)).toBe(true);
      await storage.delete(key);
      await storage.delete(key);
      expect(await storage.exists(key)).toBe(false);
      await expect(storage.get(key, { maxBytes })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(storage.stream(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    test('other keys are not found', async () => {
      const { storage, driver } = await open();
      await driver.put('secrets', 'secret');
      for (const key of otherKeys) {
        await expect(storage.get(key, { maxBytes })).rejects.toMatchObject({ code: 'NOT_FOUND' });
        await expect(storage.exists(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
        await expect(storage.delete(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      }
      expect(await driver.exists('secrets')).toBe(true);
    });

    test('damaged bytes are an error', async () => {
      const { storage, driver } = await open();
      const { key } = await storage.put(Buffer.from('whole'), { maxBytes });
      await driver.put(key, 'whol');
      await expect(storage.get(key, { maxBytes })).rejects.toThrow('is damaged in storage');
      await expect(text(await storage.stream(key))).rejects.toThrow('is damaged in storage');
    });

    test('incomplete objects of a killed process are deleted by age, and complete ones are kept', async () => {
      const { storage, driver, files } = await open();
      const { key } = await storage.put(Buffer.from('whole'), { maxBytes });
      expect(await storage.sweep(new Date(Date.now() + hourMs))).toBe(false);
      for (let at = 0; at < 3; at += 1) await driver.put(`${incoming}${randomUUID()}`, 'ha');
      await storage.sweep(new Date(Date.now() - hourMs));
      expect(await files()).toHaveLength(4);
      expect(await storage.sweep(new Date(Date.now() + hourMs))).toBe(false);
      expect((await files()).map((file) => file.name)).toEqual([key.slice(-64)]);
    });

    test('a file of several parts is stored completely, and leaves nothing behind when its source fails', async () => {
      const { storage, files } = await open();
      const part = randomBytes(1_000_000);
      function* parts(many = 12) {
        for (let at = 0; at < many; at += 1) yield part;
      }
      const { key, bytes } = await storage.put(Readable.from(parts()), { maxBytes: 2 ** 30 });
      expect(bytes).toBe(12_000_000);
      expect(await storage.get(key, { maxBytes: 2 ** 30 })).toHaveLength(12_000_000);
      function* cut() {
        yield* parts(7);
        throw new Error('the upload broke off');
      }
      await expect(storage.put(Readable.from(cut()), { maxBytes: 2 ** 30 })).rejects.toThrow('the upload broke off');
      expect(await files()).toHaveLength(1);
    });
  });
}

describe.skipIf(lacksS3)(`a bucket${s3Suffix}`, () => {
  const faults: { of: string; change: (bucket: Required<Bucket>) => Bucket; says: RegExp }[] = [
    {
      of: 'that is missing',
      change: (bucket) => ({ ...bucket, bucket: 'nowhere' }),
      says: /^Files cannot be stored at http:\S+\. There is no bucket nowhere\. Create it, or correct S3_BUCKET\.$/,
    },
    {
      of: 'with a wrong secret',
      change: (bucket) => ({ ...bucket, credentials: { accessKeyId: 'test:owner', secretAccessKey: 'two' } }),
      says: /does not know S3_ACCESS_KEY_ID with this S3_SECRET_ACCESS_KEY\. Correct them\.$/,
    },
    {
      of: 'that the key may not use',
      change: (bucket) => ({ ...bucket, credentials: { accessKeyId: 'test:guest', secretAccessKey: 'two' } }),
      says: /The key may not use the bucket [\w-]+\. Allow it s3:ListBucket/,
    },
    {
      of: 'where nobody answers',
      change: (bucket) => ({ ...bucket, endpoint: 'http://127.0.0.1:1' }),
      says: /ECONNREFUSED.*\. Check S3_ENDPOINT, S3_REGION and the network\.$/,
    },
  ];

  test.each(faults)('$of is refused at the start with what to change', async ({ change, says }) => {
    await expect(openS3Driver(change(await s3.makeBucket(randomUUID())))).rejects.toThrow(says);
  });

  test('has no unfinished upload of a killed process after the sweep', async () => {
    const bucket = await s3.makeBucket(randomUUID());
    const client = new S3Client({ ...bucket, forcePathStyle: true });
    await client.send(new CreateMultipartUploadCommand({ Bucket: bucket.bucket, Key: `${incoming}${randomUUID()}` }));
    const begun = async () => (await client.send(new ListMultipartUploadsCommand({ Bucket: bucket.bucket }))).Uploads;
    const storage = createStorage(await openS3Driver(bucket));
    await storage.sweep(new Date(Date.now() - hourMs));
    expect(await begun()).toHaveLength(1);
    await storage.sweep(new Date(Date.now() + hourMs));
    expect(await begun()).toBeUndefined();
  });

  test('that cannot be reached is an outage, not a fault', async () => {
    const bucket = await s3.makeBucket(randomUUID());
    const way = await openWay(Number(new URL(bucket.endpoint).port));
    const storage = createStorage(await openS3Driver({ ...bucket, endpoint: way.endpoint }));
    const { key } = await storage.put(Buffer.from('kept'), { maxBytes });
    await way.close();
    const unavailable = { code: 'UNAVAILABLE', message: expect.stringContaining('cannot be reached') };
    await expect(storage.put(Readable.from(['more']), { maxBytes })).rejects.toMatchObject(unavailable);
    await expect(storage.get(key, { maxBytes })).rejects.toMatchObject(unavailable);
    await expect(storage.exists(key)).rejects.toMatchObject(unavailable);
    await expect(storage.delete(key)).rejects.toMatchObject(unavailable);
    expect(await storage.isReachable()).toBe(false);
  });

  test('that dies during a large upload is an outage as well', async () => {
    const bucket = await s3.makeBucket(randomUUID());
    const way = await openWay(Number(new URL(bucket.endpoint).port));
    const storage = createStorage(await openS3Driver({ ...bucket, endpoint: way.endpoint }));
    expect(await storage.isReachable()).toBe(true);
    async function* large() {
      const part = Buffer.alloc(5 * 1_024 * 1_024, 'x');
      yield part;
      yield part;
      await way.close();
      for (let more = 0; more < 4; more += 1) yield part;
    }
    const putting = storage.put(Readable.from(large()), { maxBytes: 100 * 1_024 * 1_024 });
    await expect(putting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

test('a service that accepts connections but never responds is an outage', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
    requestHandler: { socketTimeout: 100 },
  });
  const fault = await client.send(new ListBucketsCommand()).catch((error: unknown) => error);
  expect([isBucketOutage(fault), (fault as Error).name]).toEqual([true, 'TimeoutError']);
  client.destroy();
  silent.close();
});

test('a disk has room again once a file fits', async () => {
  const full = { is: true };
  class Filling extends FSDriver {
    override putStream(key: string, contents: Readable): Promise<void> {
      return (full.is ? createFullDisk(tmpdir()) : this.#empty).putStream(key, contents);
    }
    readonly #empty = createDiskDriver(join(tmpdir(), `causeway-room-${randomUUID()}`));
  }
  const storage = createStorage(new Filling({ location: tmpdir(), visibility: 'private' }));
  expect(await storage.hasRoom()).toBe(true);
  await expect(storage.put(Buffer.from('a'), { maxBytes })).rejects.toThrow('no space left');
  expect(await storage.hasRoom()).toBe(false);
  full.is = false;
  expect(await storage.hasRoom()).toBe(true);
});

test('a full disk is reported as full', async () => {
  const storage = createStorage(createFullDisk(tmpdir()));
  const failure = storage.put(Buffer.from('too much'), { maxBytes });
  await expect(failure).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('no space left'),
  });
});
