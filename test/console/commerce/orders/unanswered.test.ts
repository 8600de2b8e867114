import { expect, test } from 'vitest';
import { unansweredWords } from '#console/commerce/orders/unanswered.words.ts';
import type { EgressErrorCode } from '#src/infra/egress/errors.ts';

test('there are words for each reason that a request has no answer', () => {
  // A code without words does not compile.
  const byCode: Record<EgressErrorCode, string> = unansweredWords;
  expect(byCode.timeout).toBe('no answer in time');
  expect(Object.values(byCode).filter((text) => text.endsWith('.'))).toEqual([]);
});
