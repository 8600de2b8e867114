import { expect, onTestFinished, test } from 'vitest';
import { createDescriptionReader, describeLimits } from '#src/automation/connectors/reading/description-reader.ts';

const openapi = (paths: object) => Buffer.from(JSON.stringify({ openapi: '3.1.0', info: { title: 'Any API' }, paths }));

function open(limits: Partial<Record<keyof typeof describeLimits, number>> = {}) {
  const reader = createDescriptionReader({ ...describeLimits, ...limits });
  onTestFinished(() => reader.close());
  return reader;
}

test('a description that takes too much time or memory is refused, and the next one is read', async () => {
  const bytes = openapi({});
  await expect(open({ timeoutMs: 1 }).read({ bytes, from: '' })).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
    message: expect.stringContaining('to read'),
  });
  const small = open({ memoryMb: 40 });
  const large = openapi(Object.fromEntries(Array.from({ length: 400_000 }, (_, index) => [`/${index}`, { get: {} }])));
  await expect(small.read({ bytes: large, from: '' })).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
    message: expect.stringContaining('memory'),
  });
  expect((await small.read({ bytes, from: '' })).api.title).toBe('Any API');
});

test('descriptions wait for one another, and too many are refused', async () => {
  const reader = open({ waiting: 2 });
  const [first, second, third] = await Promise.allSettled(
    ['one', 'two', 'three'].map(() => reader.read({ bytes: openapi({}), from: '' })),
  );
  expect([first?.status, second?.status, third?.status]).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});
