import { expect, test } from 'vitest';
import type { PinnedBlock } from '#src/themes/blocks/pinned-blocks.rules.ts';
import { createIslands } from '#src/themes/islands/islands.service.ts';
import type { SiteRequests } from '#src/themes/islands/site-requests.service.ts';
import { createSanitiser } from '#src/themes/sanitiser/sanitiser.ts';
import { newManifest } from '#test/themes/extension-site.ts';

const manifest = newManifest();
const [block] = manifest.blocks;
const pinned = {
  name: 'ext__acme__reviews__stars',
  pin: { ...manifest, extensionId: 1, url: 'https://reviews.example' },
  block,
} as unknown as PinnedBlock;

/** Islands by a clock that a test moves; each rendering has its number. */
function open() {
  const clock = { ms: 0 };
  let renderings = 0;
  const site = { fails: false };
  const requests: SiteRequests = {
    async island() {
      renderings += 1;
      if (site.fails) throw new Error('not now');
      return { html: `<p>${renderings}</p>`, version: manifest.version };
    },
  };
  const islands = createIslands(requests, createSanitiser(), 'https://shop.example', () => clock.ms);
  const show = () => islands.render(pinned, { heading: 'x' }, 0);
  const rendered = (html: string) => ({ status: 'rendered', html: Buffer.from(html) });
  return { clock, site, show, rendered };
}

test('a rendering is cached for 30 s, and then served once more while it is renewed', async () => {
  const { clock, show, rendered } = open();
  expect(await show()).toEqual(rendered('<p>1</p>'));
  clock.ms = 29_999;
  expect(await show()).toEqual(rendered('<p>1</p>'));
  clock.ms = 30_000;
  expect(await show()).toEqual(rendered('<p>1</p>'));
  await expect.poll(show).toEqual(rendered('<p>2</p>'));
});

test('a rendering is never served after 60 s, even if it cannot be renewed', async () => {
  const { clock, site, show, rendered } = open();
  await show();
  site.fails = true;
  clock.ms = 59_999;
  expect(await show()).toEqual(rendered('<p>1</p>'));
  clock.ms = 60_000;
  await expect(show()).rejects.toThrow('not now');
  site.fails = false;
  expect(await show()).toMatchObject({ status: 'rendered' });
});
