import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { serveExtension } from '#test/themes/extension-site.ts';
import { run } from '#test/themes/theme-calls.ts';

const query = `query ($extensionId: ID!, $block: String!, $props: JSON) {
  previewBlock(extensionId: $extensionId, block: $block, props: $props) { html status reason why stylesheet }
}`;

/** A registered draft whose island shows the props that it got, and a preview of one of its blocks. */
async function draft(api: TestApp) {
  const site = await serveExtension(api);
  site.answers['/theme-extensions/islands/Stars'] = (request, response) => {
    const props = new URL(request.url ?? '', site.url).searchParams.get('props') ?? '';
    const { heading } = JSON.parse(props) as { heading: string };
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'x-extension-version': site.manifest.version })
      .end(`<h2 onclick="alert(1)">${heading}</h2><script>alert(1)</script>`);
  };
  const { extension } = await run(api, 'registerExtension', { url: site.url });
  const preview = async (given: { block?: string; props?: object } = {}, as: Caller = {}) => {
    const { data, errors } = await api.graphql<{ previewBlock: object | null }>(
      query,
      { extensionId: extension?.id, block: 'stars', ...given },
      as,
    );
    return errors ? errors[0]?.extensions : data.previewBlock;
  };
  return { site, id: extension?.id, preview };
}

test('a draft is previewed by its owner and by operators, and by others once it is published', async ({ api }) => {
  const { site, id, preview } = await draft(api);
  const shown = {
    html: '<h2>Reviews</h2>',
    status: 'RENDERED',
    reason: null,
    why: null,
    stylesheet: site.files['/assets/reviews.css'],
  };
  const other = { tenant: 'acme-outlet' };
  expect(await preview()).toEqual(shown);
  expect(await preview({ props: { heading: 'Mine' } })).toMatchObject({ html: '<h2>Mine</h2>' });
  expect(await preview({}, { tenant: null, roles: ['operator'] })).toEqual(shown);
  expect(await preview({}, other)).toBeNull();
  await run(api, 'publishExtension', { id });
  expect(await preview({}, other)).toEqual(shown);
  expect(await preview({ block: 'gone' })).toBeNull();
});

test('a preview says what is wrong with its props, and why its extension does not answer', async ({ api }) => {
  const { site, id, preview } = await draft(api);
  expect(await preview({ props: { most: 11 } })).toMatchObject({
    code: 'VALIDATION_FAILED',
    fields: { 'props.most': ['The field props.most must not be more than 10.'] },
  });
  site.answers['/theme-extensions/islands/Stars'] = (_request, response) => response.writeHead(401).end();
  expect(await preview({ props: { heading: 'Another' } })).toEqual({
    html: '',
    status: 'EMPTY',
    reason: 'bad_status',
    why: 'It answered 401.',
    stylesheet: null,
  });
  await run(api, 'publishExtension', { id });
  await run(api, 'withdrawExtension', { id, block: true, reason: 'It tracks visitors.' });
  expect(await preview()).toMatchObject({ code: 'CONFLICT' });
});
