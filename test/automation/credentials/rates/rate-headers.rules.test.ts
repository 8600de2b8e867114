import { expect, test } from 'vitest';
import { maxClosedMs, readClosedMs } from '#src/automation/credentials/rates/rate-headers.rules.ts';

const now = Date.UTC(2026, 10, 29, 12);
const hour = maxClosedMs;

test.each<[status: number, headers: Record<string, string | string[]>, ms: number | undefined]>([
  [429, { 'retry-after': '30' }, 30_000],
  [503, { 'retry-after': '1.5' }, 1_500],
  [200, { 'retry-after': '30' }, undefined],
  [429, { 'retry-after': 'Sun, 29 Nov 2026 12:00:07 GMT' }, 7_000],
  [429, { 'retry-after': 'Sun, 29 Nov 2026 11:00:00 GMT' }, undefined],
  [429, { 'retry-after': '86400' }, hour],
  [429, { 'retry-after': '999999999999999999999' }, undefined],
  [429, { 'retry-after': '-5' }, undefined],
  [429, { 'retry-after': '1e9' }, undefined],
  [429, { 'retry-after': 'soon' }, undefined],
  [429, { 'retry-after': '2026' }, 2_026_000],
  [429, { 'retry-after': '' }, undefined],
  [429, {}, undefined],
  [200, { ratelimit: '"default";r=0;t=12' }, 12_000],
  [200, { ratelimit: '"burst";r=0;t=1, "day";r=0;t=50' }, 50_000],
  [200, { ratelimit: ['"burst";r=3;t=1', '"day";r=0;t=5'] }, 5_000],
  [200, { ratelimit: '"default";r=50;t=12', 'ratelimit-policy': '"default";q=100;w=60' }, undefined],
  [200, { ratelimit: '"default";r=0' }, undefined],
  [200, { ratelimit: 'limit=100, remaining=0, reset=9' }, 9_000],
  [200, { ratelimit: 'limit=100, remaining=1, reset=9' }, undefined],
  [200, { ratelimit: ';;;,,=,"' }, undefined],
  [200, { 'ratelimit-limit': '100', 'ratelimit-remaining': '0', 'ratelimit-reset': '3' }, 3_000],
  [200, { 'ratelimit-limit': '100', 'ratelimit-remaining': '7', 'ratelimit-reset': '3' }, undefined],
  [200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1_000 + 40) }, 40_000],
  [200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + 2_500) }, 2_500],
  [200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' }, 20_000],
  [200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1_000 - 40) }, undefined],
  [200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'Infinity' }, undefined],
  [200, { 'x-ratelimit-remaining': '0' }, undefined],
  [200, { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '2' }, 2_000],
  [200, { 'x-shopify-shop-api-call-limit': '40/40' }, 1_000],
  [200, { 'x-shopify-shop-api-call-limit': '39/40' }, undefined],
  [200, { 'x-shopify-shop-api-call-limit': '0/0' }, undefined],
  [429, { 'retry-after': '2', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' }, 2_000],
])('%s with %j closes the credential for %s ms', (status, headers, ms) => {
  expect(readClosedMs(status, headers, now)).toBe(ms);
});
