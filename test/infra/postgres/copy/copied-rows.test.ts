import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect } from 'vitest';
import { CopiedRows } from '#src/infra/postgres/copy/copied-rows.ts';
import { test } from '#test/setup/app-test.ts';

const message = (code: string, content: Buffer | string = ''): Buffer => {
  const bytes = Buffer.from(content);
  const head = Buffer.alloc(5);
  head.write(code);
  head.writeUInt32BE(4 + bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

test('the rows of a COPY are the contents of its messages, wherever they are split', async () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 200 }).map((text) => ({ code: 'd', text })),
    fc.constantFrom({ code: 'N', text: 'notice' }, { code: 'S', text: '' }),
  );
  const cuts = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), cuts, async (pieces, lengths) => {
      const end = [message('c'), message('C', 'COPY 1\0'), message('Z', 'I')];
      const sent = Buffer.concat([
        message('H', '\0\0\0'),
        ...pieces.map(({ code, text }) => message(code, text)),
        ...end,
      ]);
      const stream = new PassThrough();
      const parsed: Buffer[] = [];
      const rows = new CopiedRows('COPY');
      stream.on('data', (bytes: Buffer) => {
        // Like pg does, once it has parsed the last message.
        parsed.push(Buffer.from(bytes));
        if (Buffer.concat(parsed).at(-1) === 'I'.charCodeAt(0)) rows.handleReadyForQuery();
      });
      rows.submit({ stream, query: () => undefined } as never);
      for (let at = 0, n = 0; at < sent.length; n += 1) {
        const length = lengths[n % lengths.length] as number;
        stream.write(Buffer.from(sent.subarray(at, at + length)));
        at += length;
      }
      const received = Buffer.concat(await rows.toArray()).toString();
      expect(received).toBe(pieces.flatMap(({ code, text }) => (code === 'd' ? [text] : [])).join(''));
      expect(Buffer.concat(parsed)).toEqual(Buffer.concat(end.slice(1)));
    }),
  );
});

test('COPY refuses a socket that pg does not read alone', () => {
  for (const listeners of [0, 2]) {
    const stream = new PassThrough();
    for (let n = 0; n < listeners; n += 1) stream.on('data', () => undefined);
    const refused = new CopiedRows('COPY').submit({ stream, query: () => undefined } as never);
    expect(refused).toEqual(
      new Error(`pg should read its socket with one "data" listener, and has ${listeners}. Is it pg 8?`),
    );
    expect(stream.listenerCount('data')).toBe(listeners);
  }
});

test('a COPY fails with its statement, also between its rows, and its connection is closed when the reader stops', async ({
  ownApi: { database },
}) => {
  const read = async (sql: string): Promise<string> => {
    let text = '';
    for await (const bytes of database.copyOut('acme-shop', `COPY (${sql}) TO STDOUT`)) text += String(bytes);
    return text;
  };
  expect(await read('SELECT 1, NULL UNION ALL SELECT 2, NULL')).toBe('1\t\\N\n2\t\\N\n');
  expect(await read('SELECT 1 WHERE false')).toBe('');
  await expect(read('SELECT nothing')).rejects.toThrow('column "nothing" does not exist');
  await expect(read('SELECT 1 / (9999 - n) FROM generate_series(1, 20000) AS n')).rejects.toThrow('division by zero');
  const long = `COPY (SELECT n, repeat('x', 1000) FROM generate_series(1, 100000) AS n) TO STDOUT`;
  for await (const bytes of database.copyOut('acme-shop', long)) {
    expect(bytes.length).toBeGreaterThan(0);
    break;
  }
  let length = 0;
  for await (const bytes of database.copyOut('acme-shop', long)) {
    length += bytes.length;
    // Slower than the server sends.
    if (length < 2_000_000) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(length).toBe(100_000 * 1_002 + 488_895);
});
