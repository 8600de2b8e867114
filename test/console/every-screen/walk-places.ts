import { describe, expect } from 'vitest';
import { makeOwned } from '#test/graphql/owned-objects.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { account, test } from '#test/setup/console-test.ts';
import { chooseUser } from '#test/setup/console.ts';
import { Audit } from './audit.ts';
import { nouns } from './registry.ts';
import { openAddress, settle, walkNoun, type WalkedNoun } from './walk.ts';

/** Tests every screen of the nouns of the places, in a tenant that has an object of every type, and in one that has none. */
export function walkPlaces(places: readonly string[]): void {
  const walkable = nouns.filter(({ place }) => places.includes(place));
  const title = `Every screen of ${places.join(', ')}${skippedSuffix}`;
  describe.skipIf(browserIsMissing)(title, { timeout: 240_000 }, () => {
    test('is accessible, fits a phone, and reports no error', async ({ served, context }) => {
      await makeOwned(served.api);
      const audit = await Audit.begin(context);
      const { page } = audit;
      await page.goto(`${served.url}t/acme-shop/${walkable[0]?.noun}`);
      await chooseUser(page);
      await account(page).waitFor();
      await settle(page);
      const walked: WalkedNoun[] = [];
      for (const { noun } of walkable) walked.push(await walkNoun(audit, noun));
      for (const { noun } of walkable) {
        await openAddress(page, noun, 'acme-outlet');
        await audit.check(`${noun} of a tenant that has none`);
      }
      expect(audit.findings).toEqual([]);
      // So that nothing is walked in vain: the list and the page of each noun that has pages, and forms and menus.
      expect(walked.filter(({ pages }) => pages.length === 0)).toEqual([]);
      const withPages = walkable.filter(({ type }) => type !== undefined).map(({ noun }) => noun);
      expect(walked.filter(({ pages }) => pages.length > 1).map(({ noun }) => noun)).toEqual(
        expect.arrayContaining(withPages),
      );
      const pages = walked.flatMap((one) => one.pages);
      expect(pages.flatMap(({ panels }) => panels).length).toBeGreaterThan(walkable.length);
      expect(pages.flatMap(({ menus }) => menus).length).toBeGreaterThan(walkable.length);
    });
  });
}
