import { expect, test } from 'vitest';
import { deliveryFault } from '#console/commerce/webhooks/delivery-fault.ts';

const answered = { httpCode: 503, error: null };
const unanswered = { httpCode: null, error: 'The host did not answer within 15 s.' };

test.each([
  ['of its filter, if that holds it', 'HELD', 'The filter failed.', answered, 'The filter failed.'],
  ['of the answer', 'PENDING', null, answered, 'The receiver answered 503.'],
  ['that nobody answered', 'FAILED', null, unanswered, 'The host did not answer within 15 s.'],
  ['nothing before the first attempt', 'PENDING', null, null, ''],
  ['nothing once it has arrived', 'DELIVERED', null, { httpCode: 204, error: null }, ''],
])('a list of deliveries says %s', (_what, status, reason, lastAttempt, fault) => {
  expect(deliveryFault({ status, reason, lastAttempt })).toBe(fault);
});
