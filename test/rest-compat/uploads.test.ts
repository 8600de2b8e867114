import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readAll } from '#rest/http/uploads.ts';
import { isOutage } from '#src/infra/postgres/outages.ts';

test('a body that its sender aborts is a bad request, and not taken for an outage of the database', async () => {
  const body = new PassThrough();
  const read = readAll(body, 1_000).catch((error: unknown) => error);
  body.write('{"a":');
  body.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  const error = await read;
  expect(error).toMatchObject({ code: 'BAD_REQUEST' });
  expect(isOutage(error)).toBe(false);
});
