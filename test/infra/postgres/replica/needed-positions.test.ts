import { expect, test } from 'vitest';
import { NeededPositions } from '#src/infra/postgres/replica/needed-positions.ts';
import type { WalPosition } from '#src/infra/postgres/replica/wal-position.ts';

const at = (byte: number): WalPosition => ({ timeline: 1, byte });

test('A reader needs the later of the position that was asked for and of the one that it heard of meanwhile', async () => {
  const questions: PromiseWithResolvers<WalPosition>[] = [];
  const positions = new NeededPositions(() => {
    const question = Promise.withResolvers<WalPosition>();
    questions.push(question);
    return question.promise;
  });
  const asked = async (count: number) => {
    await expect.poll(() => questions.length).toBe(count);
    return questions[count - 1] as PromiseWithResolvers<WalPosition>;
  };
  const sample = positions.now();
  (await asked(1)).resolve(at(100));
  await sample;

  positions.wrote('shop');
  const first = positions.ofTenant('shop');
  const question = await asked(2);
  positions.heard('shop', at(300));
  const second = positions.ofTenant('shop');
  question.resolve(at(200));
  await first;
  expect(await second).toEqual(at(300));
  expect(await positions.ofTenant('shop')).toEqual(at(300));
});
