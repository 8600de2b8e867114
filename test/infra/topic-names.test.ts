import { describe, expect, test } from 'vitest';
import { unknownTopicFault } from '#src/infra/topic-names.ts';

const own = new Set(['order.created', 'order.cancelled', 'stock.changed', 'run.finished', 'run.failed']);

describe('a topic', () => {
  test.each([
    ['order.create', 'order.created'],
    ['order.canceled', 'order.cancelled'],
    ['order.craeted', 'order.created'],
    ['order.updated', 'order.created'],
    ['orders.created', 'order.created'],
    ['oder.created', 'order.created'],
    ['rodre.created', undefined],
    ['stcok.changed', 'stock.changed'],
    ['oder.*', 'order.*'],
    ['runs.finished', 'run.finished'],
  ])('%s is taken for a typing error of: %s', (topic, meant) => {
    const fault = unknownTopicFault(topic, own);
    if (meant === undefined) expect(fault).toBeUndefined();
    else expect(fault).toContain(`Did you mean "${meant}`);
  });

  test.each(['order.created', 'order.*', '*', 'order', 'run.*', 'order.mapped', 'offer.created', 'erp.order.created'])(
    '%s is one that is known, or may be the tenant’s own',
    (topic) => {
      expect(unknownTopicFault(topic, own)).toBeUndefined();
    },
  );
});
