import { describe, expect } from 'vitest';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { makeOwned } from '#test/graphql/owned-objects.ts';
import type { TestApp } from '#test/setup/app.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { account, test } from '#test/setup/console-test.ts';
import { chooseUser } from '#test/setup/console.ts';
import { anyTopic } from '#test/setup/topics.ts';
import { Audit } from './audit.ts';
import { type Noun, nouns } from './registry.ts';
import { isWalkedBy, type Shard } from './shards.ts';
import { openAddress, settle, walkNoun, type WalkedNoun } from './walk.ts';

/** The page of a tenant, which operators open from its organisation. */
const tenantPage: Noun = { noun: 'tenants', type: 'Tenant', place: 'settings', partOf: 'organisations' };

/** Tests every screen of the nouns of a shard, in a tenant that has an object of every type, and in one that has none. */
export function walkShard(shard: Shard): void {
  const walkable = nouns.filter((noun) => isWalkedBy(shard, noun));
  if (shard === 'operators') walkable.push(tenantPage);
  const [role, tenant] = shard === 'operators' ? ['Operator', '-'] : ['Administrator', 'acme-shop'];
  const title = `Every screen of ${walkable.map(({ noun }) => noun).join(', ')}${skippedSuffix}`;
  describe.skipIf(browserIsMissing)(title, { timeout: 600_000 }, () => {
    test('is accessible, fits a phone, and reports no error', async ({ served, context }) => {
      const ids = { ...(await makeOwned(served.api)), Tenant: btoa('Tenant:acme-shop') };
      await makeOutboxFailure(served.api);
      const audit = await Audit.begin(context);
      const { page } = audit;
      await page.goto(`${served.url}t/${tenant}/${walkable[0]?.noun}`);
      await chooseUser(page, { role });
      await account(page, role).waitFor();
      await settle(page);
      const walked: WalkedNoun[] = [];
      for (const noun of walkable) walked.push(await walkNoun(audit, noun, { tenant, ids }));
      for (const { noun, partOf, readers } of walkable) {
        if (partOf || readers === 'operators') continue;
        await openAddress(page, noun, 'acme-outlet');
        await audit.check(`${noun} of a tenant that has none`);
      }
      expect(audit.findings).toEqual([]);
      expectWalked(walkable, walked);
    });
  });
}

/** Nothing was walked in vain: each noun has its list, each type its page, and there were forms and menus. */
function expectWalked(walkable: readonly Noun[], walked: readonly WalkedNoun[]): void {
  const pages = walked.flatMap((one) => one.pages);
  expect(new Set(pages.map(({ address }) => address.split('/')[0]))).toEqual(new Set(walkable.map(({ noun }) => noun)));
  // Jobs fail only where a worker runs; the list of tenants leads into them, not to their pages.
  const withPages = walkable
    .filter(({ type }) => type !== undefined && !['FailedJob', 'Tenant'].includes(type))
    .map(({ noun }) => noun);
  const withObject = pages.filter(({ address }) => address.includes('/')).map(({ address }) => address.split('/')[0]);
  expect(withObject).toEqual(expect.arrayContaining(withPages));
  expect(pages.flatMap(({ panels }) => panels).length).toBeGreaterThan(walkable.length);
  expect(pages.flatMap(({ menus }) => menus).length).toBeGreaterThan(walkable.length / 2);
}

/** An event that its consumer has put aside, which operators see. */
async function makeOutboxFailure({ database }: TestApp): Promise<void> {
  const tenantId = 'acme-shop';
  const eventId = await database.withTenant(tenantId, (tx) =>
    publishEvent(tx, { tenantId, topic: anyTopic('tick'), data: { n: 1 } }),
  );
  await database.system.query(
    `INSERT INTO outbox_failures (consumer, id, event_id, tenant_id, error)
     SELECT 'triggers', id, event_id, tenant_id, 'no such thing' FROM outbox_events WHERE event_id = $1`,
    [eventId],
  );
}
