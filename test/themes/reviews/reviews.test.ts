import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { serveExtension } from '#test/themes/extension-site.ts';
import { run } from '#test/themes/theme-calls.ts';

const review = `query ($id: ID!, $against: ID) { extensionReview(id: $id, against: $against) {
  extension { version } previous { version } members elementsAdded elementsRemoved
  blocks { blockId change members settings { key change } }
  assets { path change sizeBefore size }
} }`;
const operator = { tenant: null, roles: ['operator'] };

test('an operator sees the changes of a version compared with the one published before', async ({ api }) => {
  const site = await serveExtension(api);
  const first = (await run(api, 'registerExtension', { url: site.url })).extension;
  const alone = await api.graphql(review, { id: first?.id }, operator);
  expect(alone.data).toMatchObject({
    extensionReview: {
      previous: null,
      elementsAdded: ['acme-stars'],
      blocks: [{ change: 'ADDED' }, { change: 'ADDED' }],
    },
  });
  await run(api, 'publishExtension', { id: first?.id });
  const [stars, list] = site.manifest.blocks as [{ settings: object }, object];
  const { unit: _unit, ...kept } = stars.settings as Record<string, object>;
  site.files['/assets/reviews.js'] = `customElements.define('acme-hearts', class extends HTMLElement {})`;
  site.manifest = {
    ...site.manifest,
    version: '2.0.0',
    title: 'All reviews',
    blocks: [
      {
        ...stars,
        settings: { ...kept, most: { type: 'number', label: 'Most' }, none: { type: 'text', label: 'None' } },
      },
      { ...list, id: 'summary' },
    ] as never,
  };
  const second = (await run(api, 'registerExtension', { url: site.url })).extension;
  // In a tenant that does not see the draft, as a console is.
  const { data } = await api.graphql(review, { id: second?.id }, { tenant: 'acme-outlet', roles: ['operator'] });
  expect(data).toEqual({
    extensionReview: {
      extension: { version: '2.0.0' },
      previous: { version: '1.0.0' },
      members: ['title'],
      elementsAdded: ['acme-hearts'],
      elementsRemoved: ['acme-stars'],
      blocks: [
        {
          blockId: 'stars',
          change: 'CHANGED',
          members: [],
          settings: [
            { key: 'unit', change: 'REMOVED' },
            { key: 'most', change: 'CHANGED' },
            { key: 'none', change: 'ADDED' },
          ],
        },
        { blockId: 'list', change: 'REMOVED', members: [], settings: [] },
        { blockId: 'summary', change: 'ADDED', members: [], settings: [] },
      ],
      assets: [{ path: '/assets/reviews.js', change: 'CHANGED', sizeBefore: 65, size: 66 }],
    },
  });
  const back = await api.graphql(review, { id: first?.id, against: second?.id }, operator);
  expect(back.data).toMatchObject({
    extensionReview: { previous: { version: '2.0.0' }, elementsAdded: ['acme-stars'] },
  });
});
