import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readExtensionFolder } from '#bin/commands/extension/read-extension-folder.ts';
import { islands } from '#examples/reviews-extension/islands.ts';
import { sanitiseFragment } from '#src/themes/sanitiser/sanitise-fragment.ts';

const folder = fileURLToPath(new URL('../../examples/reviews-extension/', import.meta.url));

test('the example can be registered', async () => {
  const { manifest, assets } = await readExtensionFolder(folder);
  expect(manifest.blocks.map(({ island }) => island).toSorted()).toEqual(Object.keys(islands).toSorted());
  expect(assets.map(({ path }) => path)).toEqual(['/assets/reviews.css', '/assets/reviews.js']);
});

test('its blocks survive the sanitiser with their elements, and show what people wrote as text', () => {
  const shown = (markup: unknown) =>
    sanitiseFragment(String(markup), { vendor: 'opinio', origin: 'https://shop.example' });
  const summary = islands.ReviewSummary({ heading: 'Customers say', sku: 'CHAIR-01', scale: 'ten', colour: '#c60' });
  expect(shown(summary)).toMatch(/<opinio-stars data-rating="9\.0" data-out-of="10" data-colour="#c60">9\.0 of 10</);
  const list = shown(islands.ReviewList({ sku: 'CHAIR-01', most: 2, names: false }));
  expect(list.match(/<li>/g)).toHaveLength(2);
  expect(list).toContain('The &lt;b&gt;bold&lt;/b&gt; green');
  expect(list).not.toContain('Ada');
  expect(shown(islands.ReviewSummary({ heading: 'H', sku: 'constructor', scale: 'five', colour: '#c60' }))).toContain(
    'No reviews yet',
  );
});
