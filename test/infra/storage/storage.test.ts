import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createDiskDriver } from '#src/infra/storage/storage-disk.ts';
import { createStorage, keyOf } from '#src/infra/storage/storage.ts';
import { createFullDisk } from './full-disk.ts';

const maxBytes = 1_000_000;

const open = async () => {
  const root = await mkdtemp(join(tmpdir(), 'causeway-storage-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const files = async () =>
    (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  return { root, files, storage: createStorage(createDiskDriver(root)) };
};

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

test('the same bytes are stored once, also when they arrive at once', async () => {
  const { storage, files } = await open();
  const results = await Promise.all(Array.from({ length: 20 }, () => storage.put(Buffer.from('same'), { maxBytes })));
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
  await expect(storage.put(Buffer.alloc(11), { maxBytes: 10 })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
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

test('a full disk is said to be full', async () => {
  const storage = createStorage(createFullDisk(tmpdir()));
  const failure = storage.put(Buffer.from('too much'), { maxBytes });
  await expect(failure).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('no space left'),
  });
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

const hash = createHash('sha256').update('x').digest('hex');

test.each([
  '',
  '../secrets',
  `sha256/../${hash}`,
  `sha256/zz/${hash}`,
  `sha256/00/${hash}`,
  keyOf(hash).toUpperCase(),
  `${keyOf(hash)}/`,
  `${keyOf(hash)}\n`,
  `/${keyOf(hash)}`,
  'incoming/1',
])('key %j names nothing', async (key) => {
  const { storage, root } = await open();
  await writeFile(join(root, 'secrets'), 'secret');
  await expect(storage.get(key, { maxBytes })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(storage.exists(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(storage.delete(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await stat(join(root, 'secrets'))).isFile()).toBe(true);
});

test('damaged bytes are an error, not an answer', async () => {
  const { storage, root } = await open();
  const { key } = await storage.put(Buffer.from('whole'), { maxBytes });
  await writeFile(join(root, key), 'whol');
  await expect(storage.get(key, { maxBytes })).rejects.toThrow('is damaged in storage');
  await expect(text(await storage.stream(key))).rejects.toThrow('is damaged in storage');
});
