import { buildSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { Context } from '#src/graphql/context.ts';
import { createLiveGroups, sharedFrame, type LiveArgs, type SharedEvent } from '#src/graphql/fast/live-groups.ts';
import { nextFrame, nextPrefix } from '#src/graphql/fast/socket-frames.ts';

const query = 'subscription ($n: Int) { tick(n: $n) }';
const makeContext = (tenant: string, roles: string[]) =>
  ({ tenant: { id: tenant, orgId: 'acme' }, viewer: { roles, scopes: [], sub: 'someone' } }) as unknown as Context;

/** Arguments as a socket has them, and how often the field was resolved. */
function setup() {
  const schema = buildSchema('type Query { ok: Boolean } type Subscription { tick(n: Int): Int! }');
  const resolved: object[] = [];
  const groups = createLiveGroups((result) => result);
  const of = (tenant: string, roles: string[], variableValues: Record<string, unknown> = {}) => {
    const args: LiveArgs = { schema, document: parse(query), variableValues, contextValue: makeContext(tenant, roles) };
    return groups.of(query, args);
  };
  const event = (n: number) => {
    const made = { tick: () => (resolved.push(made), n) };
    return made;
  };
  return { groups, of, event, resolved };
}

const ready = (entries: SharedEvent[]) =>
  expect.poll(() => entries.every(({ payload }) => payload !== undefined), { timeout: 60_000 }).toBe(true);

describe('groups of identical subscriptions', () => {
  test('are shared only for the same document, variables, tenant and roles', () => {
    const { of } = setup();
    const group = of('shop', ['user', 'admin'], { n: 1 });
    group.join(() => undefined);
    expect(of('shop', ['admin', 'user'], { n: 1 })).toBe(group);
    expect(of('outlet', ['user', 'admin'], { n: 1 })).not.toBe(group);
    expect(of('shop', ['user'], { n: 1 })).not.toBe(group);
    expect(of('shop', ['user', 'admin'], { n: 2 })).not.toBe(group);
  });

  test('execute and serialise an event once for a thousand readers, and release it when all have read it', async () => {
    const { of, event, resolved } = setup();
    const group = of('shop', ['user']);
    const tick = event(7);
    const entries = Array.from({ length: 1_000 }, () => group.hold(tick));
    await ready(entries);
    expect(resolved).toHaveLength(1);
    expect(entries[0]?.payload?.toString()).toBe('{"data":{"tick":7}}');
    for (const _ of entries) group.release(tick);
    // Held again, it is executed again: the bytes were not kept.
    await ready([group.hold(tick)]);
    expect(resolved).toHaveLength(2);
  });

  test('do not execute an event that every reader dropped before its turn', async () => {
    const { of, event, resolved } = setup();
    const group = of('shop', ['user']);
    const events = Array.from({ length: 100 }, (_, n) => event(n));
    for (const each of events) group.hold(each);
    for (const each of events.slice(0, 99)) group.release(each);
    await ready([group.hold(events[99] as object)]);
    expect(resolved.length).toBeLessThan(40);
  });

  test('are removed when their last member leaves, and created again for the next', () => {
    const { groups, of } = setup();
    const group = of('shop', ['user']);
    const leave = [group.join(() => undefined), group.join(() => undefined)];
    leave[0]?.();
    expect(groups.size).toBe(1);
    leave[1]?.();
    expect(groups.size).toBe(0);
    group.join(() => undefined);
    expect(groups.size).toBe(1);
  });

  test('answer an event that cannot be executed with its error', async () => {
    const { of } = setup();
    const group = of('shop', ['user']);
    const entry = group.hold({
      tick: () => {
        throw new Error('No tick.');
      },
    });
    await ready([entry]);
    expect(JSON.parse(entry.payload?.toString() ?? '')).toMatchObject({
      data: null,
      errors: [{ message: 'No tick.' }],
    });
  });
});

describe('frames of shared payloads', () => {
  test('are one text frame of the right length at every size of payload', () => {
    for (const size of [0, 1, 60, 100, 125, 126, 200, 65_400, 65_535, 65_536, 70_000]) {
      const payload = Buffer.from(JSON.stringify('x'.repeat(size)));
      const frame = nextFrame(nextPrefix('op"1'), payload);
      const marker = frame.readUInt8(1);
      const start = marker < 126 ? 2 : marker === 126 ? 4 : 10;
      const length = marker < 126 ? marker : marker === 126 ? frame.readUInt16BE(2) : Number(frame.readBigUInt64BE(2));
      expect(frame[0]).toBe(0x81);
      expect(frame.length).toBe(start + length);
      expect(JSON.parse(frame.toString('utf8', start))).toEqual({
        id: 'op"1',
        type: 'next',
        payload: 'x'.repeat(size),
      });
    }
  });

  test('are the same bytes for equal operation ids, and different for others', () => {
    const payload = Buffer.from('{"data":null}');
    const event: SharedEvent = { payload, holders: 1 };
    const first = sharedFrame(event, payload, nextPrefix('1'));
    expect(sharedFrame(event, payload, nextPrefix('1'))).toBe(first);
    expect(sharedFrame(event, payload, nextPrefix('2')).toString()).toContain('"id":"2"');
  });
});
