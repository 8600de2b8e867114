import { describe, expect, test } from 'vitest';
import { writePrice, writePrices } from '#rest/commerce/price-traces.ts';

describe('prices as JSON', () => {
  const outranked = { list: 'Große Kunden €', reason: 'outranked' };
  const selected = { list: 'Große Kunden €', reason: 'selected' };
  const missed = { list: '"B"', reason: 'no_row' };
  const chosen = { list: '"B"', reason: 'selected' };

  test.each([
    ['of one item', [[selected, missed]]],
    [
      'that share their traces',
      [
        [selected, missed],
        [selected, missed],
      ],
    ],
    [
      'that differ at the beginning, at the end and throughout',
      [
        [outranked, missed],
        [selected, missed],
        [outranked, chosen],
      ],
    ],
    ['of a tenant without price lists', [[], []]],
  ])('are what JSON.stringify writes: %s', (_title, traces) => {
    const items = traces.map((trace, place) => ({ sku: `Gürtel-${place}`, next_tier: null, trace }));
    expect(writePrices(items).buffer.toString()).toBe(JSON.stringify({ items }));
    for (const item of items) expect(writePrice(item).buffer.toString()).toBe(JSON.stringify(item));
  });
});
