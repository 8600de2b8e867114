import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { archiveLimits, readPackageArchive } from '#src/automation/packages/archive/archive.ts';
import { AppError } from '#src/infra/errors.ts';
import { packageFiles, paxRecord, rawArchive, rawEntry, rawHeader, rawTar } from './raw-tar.ts';
import type { RawEntry } from './raw-tar.ts';

const file = (path: string, body = 'x'): RawEntry => ({ path: `package/${path}`, body });

async function expectRefusal(
  archive: Uint8Array | AsyncIterable<Uint8Array>,
  code: string,
  message: RegExp,
  limits = archiveLimits,
): Promise<void> {
  const outcome = await readPackageArchive(archive, limits).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(AppError);
  expect((outcome as AppError).message).toMatch(message);
  expect((outcome as AppError).code).toBe(code);
}

describe('a valid archive', () => {
  test('yields every file it was built from', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/), fc.uint8Array({ maxLength: 3000 })), {
          selector: ([name]) => name,
          minLength: 1,
          maxLength: 20,
        }),
        fc.integer({ min: 1, max: 4000 }),
        async (files, chunkSize) => {
          const contents = files.map(([name, bytes]) => [`src/${name}.ts`, Buffer.from(bytes)] as const);
          const archive = rawArchive(...packageFiles(Object.fromEntries(contents)));
          const read = await readPackageArchive(inChunks(archive, chunkSize));
          expect([...read]).toEqual(contents);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('may contain folders and long names', async () => {
    const long = `package/${'a'.repeat(60)}/${'b'.repeat(60)}/index.ts`;
    const archive = rawArchive(
      { path: 'package/', type: '5' },
      { path: 'package/src/', type: '5' },
      // The format of `git archive`.
      { path: 'pax_global_header', type: 'g', body: paxRecord('comment', 'a1b2c3') },
      { path: 'PaxHeader', type: 'x', body: paxRecord('path', long) },
      { path: 'package/short', body: 'pax' },
      { path: '././@LongLink', type: 'L', body: `${long}.js\0` },
      { path: 'package/other', body: 'gnu' },
    );
    const files = await readPackageArchive(archive);
    expect(Object.fromEntries([...files].map(([path, body]) => [path, body.toString()]))).toEqual({
      [long.slice(8)]: 'pax',
      [`${long.slice(8)}.js`]: 'gnu',
    });
  });
});

describe('a hostile archive is refused', () => {
  const pax = (key: string, value: string): RawEntry => ({ path: 'PaxHeader', type: 'x', body: paxRecord(key, value) });
  const cases: [string, RawEntry[], RegExp][] = [
    ['a path that leaves the package', [file('../../etc/passwd')], /leaves the package/],
    ['a path that leaves through the middle', [file('a/../../../b')], /leaves the package/],
    ['an absolute path', [{ path: '/etc/passwd', body: 'x' }], /absolute/],
    ['an absolute path in a pax record', [pax('path', '/etc/passwd'), file('a')], /absolute/],
    ['a drive letter', [{ path: 'C:/windows/system.ini', body: 'x' }], /colon/],
    ['a drive letter within', [file('c:evil')], /colon/],
    ['a backslash', [file('a\\..\\..\\b')], /backslash/],
    ['a NUL in a pax path', [pax('path', 'package/a\0b'), file('a')], /NUL/],
    ['a NUL in a long name', [{ path: 'L', type: 'L', body: 'package/a\0/../../b\0' }, file('a')], /NUL/],
    ['a control character', [file('a\u0001b')], /control/],
    ['bytes that are not UTF-8', [{ path: Buffer.from('package/\xff\xfe', 'latin1'), body: 'x' }], /undecodable/],
    ['a symbolic link', [{ path: 'package/a', type: '2', linkpath: '/etc/passwd' }], /SymbolicLink/],
    ['a link target in the header of a file', [{ ...file('a'), linkpath: '/etc/passwd' }], /linkpath forbidden/],
    ['a link target in a pax record', [pax('linkpath', '/etc/passwd'), file('a')], /target of a link/],
    [
      'a link target for all files',
      [{ path: 'global', type: 'g', body: paxRecord('linkpath', '/etc/passwd') }, file('a')],
      /target of a link/,
    ],
    ['a link target in a GNU record', [{ path: 'K', type: 'K', body: '/etc/passwd\0' }, file('a')], /target of a link/],
    ['a hard link', [{ path: 'package/a', type: '1', linkpath: 'package/b' }], /is a Link/],
    ['a character device', [{ path: 'package/a', type: '3' }], /CharacterDevice/],
    ['a block device', [{ path: 'package/a', type: '4' }], /BlockDevice/],
    ['a named pipe', [{ path: 'package/a', type: '6' }], /FIFO/],
    ['an unknown kind', [{ path: 'package/a', type: 'S' }, file('b')], /unsupported kind/],
    ['a path twice', [file('a.ts'), file('a.ts', 'y')], /twice/],
    ['paths that differ in case alone', [file('a.ts'), file('A.ts')], /case/],
    ['folders that differ in case alone', [file('Lib/a.ts'), file('lib/b.ts')], /case/],
    ['paths that differ in Unicode form alone', [file('caf\u00e9.ts'), file('cafe\u0301.ts')], /case/],
    ['a file where a folder is', [file('a/b.ts'), file('a')], /a file and a folder/],
    ['a folder where a file is', [file('a'), file('a/b.ts')], /a file and a folder/],
    ['a file outside package/', [{ path: 'other/a.ts', body: 'x' }], /outside the folder/],
    ['a file named package', [{ path: 'package', body: 'x' }], /outside the folder/],
    ['an empty segment', [file('a//b')], /empty segment/],
    ['a dot segment', [{ path: './package/a', body: 'x' }], /empty segment/],
    ['a segment that ends in a dot', [file('a./b')], /dot or space/],
    ['too deep a path', [file(`${'a/'.repeat(20)}b`)], /deeper/],
    ['too long a path', [pax('path', `package/${'a'.repeat(300)}`), file('a')], /longer than/],
    ['a size stated twice', [pax('size', '1'), file('a', 'abc')], /size of .* twice/],
    ['a path for all files', [{ ...pax('path', 'package/b'), type: 'g' }, file('a')], /a path for all files/],
  ];

  test.each(cases)('for %s', async (_name, entries, message) => {
    await expectRefusal(rawArchive(...entries), 'UNPROCESSABLE', message);
  });

  test('when a header claims more bytes than there are', async () => {
    const lying = rawArchive({ path: 'package/a', body: 'abc', size: 100_000 });
    await expectRefusal(lying, 'UNPROCESSABLE', /intact tar/);
  });

  test('when a header claims fewer bytes than there are', async () => {
    const lying = rawArchive({ path: 'package/a', body: 'x'.repeat(2000), size: 3 });
    await expectRefusal(lying, 'UNPROCESSABLE', /intact tar/);
  });

  test('when a folder has content', async () => {
    const smuggled = rawEntry(file('hidden', 'x'.repeat(600)));
    const archive = rawArchive({ path: 'package/dir/', type: '5', body: smuggled.subarray(512) });
    await expectRefusal(archive, 'UNPROCESSABLE', /intact tar/);
  });

  test('when data follows the end marker', async () => {
    const archive = gzipSync(Buffer.concat([rawTar(file('a')), Buffer.alloc(200_000), rawTar(file('b'))]));
    await expectRefusal(archive, 'UNPROCESSABLE', /after its end/);
    expect([
      ...(await readPackageArchive(gzipSync(Buffer.concat([rawTar(file('a')), Buffer.alloc(200_000)])))).keys(),
    ]).toEqual(['a']);
  });

  test.each([512, 1024, 1536])('when an entry follows %i empty bytes', async (empty) => {
    const tar = Buffer.concat([rawEntry(file('a')), Buffer.alloc(empty), rawTar(file('b'))]);
    await expectRefusal(gzipSync(tar), 'UNPROCESSABLE', /after its end/);
    for (const size of [100, 511, 512, 513, 4096]) {
      await expectRefusal(inChunks(gzipSync(tar), size), 'UNPROCESSABLE', /after its end/);
    }
  });

  test('when a checksum is wrong', async () => {
    const tar = rawTar(file('a'));
    tar[0] = 'q'.charCodeAt(0);
    await expectRefusal(gzipSync(tar), 'UNPROCESSABLE', /intact tar/);
  });

  test('when the gzip stream is cut, damaged or absent', async () => {
    const archive = rawArchive(file('a', 'x'.repeat(5000)));
    await expectRefusal(archive.subarray(0, archive.length - 12), 'UNPROCESSABLE', /intact gzip/);
    const damaged = Buffer.from(archive);
    damaged.writeUInt32LE(7, damaged.length - 4);
    await expectRefusal(damaged, 'UNPROCESSABLE', /intact gzip/);
    await expectRefusal(Buffer.from('no archive at all'), 'UNPROCESSABLE', /intact gzip/);
    await expectRefusal(Buffer.alloc(0), 'UNPROCESSABLE', /intact/);
    await expectRefusal(gzipSync(Buffer.alloc(4096)), 'UNPROCESSABLE', /intact tar/);
  });

  test('when it is compressed twice', async () => {
    await expectRefusal(gzipSync(rawArchive(file('a'))), 'UNPROCESSABLE', /compressed twice/);
  });
});

describe('an archive over a limit is refused', () => {
  const limits = { ...archiveLimits, compressed: 4096, file: 10_000, files: 5, unpacked: 64 * 1024 };
  const random = (bytes: number): Buffer =>
    Buffer.from(fc.sample(fc.uint8Array({ minLength: bytes, maxLength: bytes }), 1)[0] ?? []);

  test('for its compressed size, with 413, because that is the size of the request body', async () => {
    await expectRefusal(
      rawArchive({ path: 'package/a', body: random(8000) }),
      'PAYLOAD_TOO_LARGE',
      /larger than/,
      limits,
    );
  });

  test('for one file, before the file is read', async () => {
    const header = rawHeader({ path: 'package/a', size: 11_000 });
    await expectRefusal(gzipSync(header), 'UNPROCESSABLE', /"a"|"package\/a"/, limits);
  });

  test('for the number of files', async () => {
    const files = Array.from({ length: 6 }, (_, index) => file(`f${index}`));
    await expectRefusal(rawArchive(...files), 'UNPROCESSABLE', /more than 5 files/, limits);
  });

  test('for too many entries that are not files', async () => {
    const folders = Array.from({ length: 30 }, (_, index) => ({ path: `package/d${index}/`, type: '5' }));
    await expectRefusal(rawArchive(...folders), 'UNPROCESSABLE', /more than 5 files/, limits);
    const pax = Array.from({ length: 30 }, () => ({ path: 'p', type: 'x', body: paxRecord('comment', 'c') }));
    await expectRefusal(rawArchive(...pax, file('a')), 'UNPROCESSABLE', /more than 5 files/, limits);
  });

  test('for a record too large to buffer', async () => {
    const archive = rawArchive({ path: 'p', type: 'x', body: paxRecord('comment', 'c'.repeat(100_000)) }, file('a'));
    await expectRefusal(archive, 'UNPROCESSABLE', /unsupported kind ExtendedHeader/);
  });

  test('for its unpacked size', async () => {
    const files = Array.from({ length: 5 }, (_, index) => file(`f${index}`, 'x'.repeat(9000)));
    await expectRefusal(rawArchive(...files), 'UNPROCESSABLE', /unpacks to more/, { ...limits, unpacked: 40_000 });
  });

  test('for a decompression bomb, long before it is unpacked', async () => {
    const bomb = gzipSync(
      Buffer.concat([rawHeader({ path: 'package/a', size: 8 * 1024 * 1024 }), Buffer.alloc(100 * 1024 * 1024)]),
    );
    expect(bomb.byteLength).toBeLessThan(200_000);
    await expectRefusal(bomb, 'UNPROCESSABLE', /times its size/);
  });

  test('without waiting for the rest of an upload that stalls', async () => {
    async function* stalling(): AsyncGenerator<Uint8Array> {
      yield gzipSync(rawEntry({ path: '/etc/passwd', body: random(20_000) }));
      await new Promise(() => {});
    }
    await expectRefusal(stalling(), 'UNPROCESSABLE', /absolute/);
  });

  test('and an aborted upload is not accepted', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield rawArchive(file('a')).subarray(0, 20);
      throw new Error('socket hang up');
    }
    await expectRefusal(broken(), 'UNPROCESSABLE', /socket hang up/);
  });
});

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
