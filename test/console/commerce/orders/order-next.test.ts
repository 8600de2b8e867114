import { describe, expect, test } from 'vitest';
import { findNext } from '#console/commerce/orders/order-next.ts';

type Story = Parameters<typeof findNext>[0]['story'];

const change = { change: { action: 'create' } };
const run = (databaseId: number, status: string, workflowName = 'To the ERP') => ({
  run: { id: `R${databaseId}`, databaseId, status, workflowName, error: null },
});
const step = { run: { id: 'R1', databaseId: 1 }, step: { id: 'S1' } };
const deadLetter = (status: string) => ({ deadLetter: { id: 'D1', status, workflowName: 'To the ERP' } });
const delivery = (status: string) => ({ delivery: { id: 'W1', status, destination: { name: 'Mail' } } });

const cases: Record<string, [holdReason: 'CREDIT' | null, story: object[], text: RegExp, leadsTo?: string]> = {
  'held, whatever its story says': ['CREDIT', [change, run(1, 'FAILED')], /^This order is held \(Credit\)/],
  'told to nobody': [null, [change], /^Nothing has sent this order/],
  'sent by a run': [null, [change, run(1, 'SUCCEEDED'), step], /has not acknowledged it/],
  'whose run failed': [null, [change, run(1, 'FAILED'), step], /^Run 1 of “To the ERP” failed/, 'runs/R1'],
  'whose run was made again': [null, [run(1, 'FAILED'), step, run(2, 'SUCCEEDED')], /has not acknowledged it/],
  'whose run failed again': [null, [run(1, 'FAILED'), run(2, 'FAILED')], /^Run 2 of/, 'runs/R2'],
  'whose run of another workflow succeeded later': [
    null,
    [run(1, 'FAILED'), run(2, 'SUCCEEDED', 'Mail')],
    /^Run 1 of/,
    'runs/R1',
  ],
  'that could not start a run': [null, [deadLetter('PENDING'), run(1, 'FAILED')], /could not start/, 'dead-letters/D1'],
  'whose dead letter was replayed': [null, [deadLetter('REPLAYED'), run(1, 'SUCCEEDED')], /has not acknowledged it/],
  'on its way to a destination': [null, [delivery('PENDING')], /sends it again by itself/, 'deliveries/W1'],
  'that did not arrive': [null, [delivery('FAILED')], /^The order did not arrive at Mail/, 'deliveries/W1'],
  'that arrived': [null, [delivery('DELIVERED')], /has not acknowledged it/],
};

describe('a pending order shows what it waits for', () => {
  test.each(Object.entries(cases))('%s', (_title, [holdReason, story, text, leadsTo]) => {
    const next = findNext({ holdReason, story: story as Story });
    expect(next.text).toMatch(text);
    expect(next.target && `${next.target.noun}/${next.target.id}`).toBe(leadsTo);
  });
});
