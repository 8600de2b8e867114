import type { IncomingMessage } from 'node:http';
import { describe, expect } from 'vitest';
import { verifyMessage } from '#src/infra/signing/webhook-signatures.ts';
import { maxIslandBytes } from '#src/themes/islands/islands.rules.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { haveTheme, run } from '#test/themes/theme-calls.ts';
import { asUser, place, type Placed, show } from './placed-block.ts';

let api: TestApp;
let placed: Placed;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await haveTheme(api, '2.1.0');
});

/** Places one for each test of a group. Its site is gone with the test. */
const placeForEach = (): void =>
  test.beforeEach(async () => {
    placed = await place(api);
  });

const parseProps = (url: string): unknown =>
  JSON.parse(new URL(url, 'http://island').searchParams.get('props') ?? 'null');

/** A heading that no other test uses, so that what is kept is not shown. */
let count = 0;
const fresh = () => ({ heading: `Heading ${(count += 1)}` });

describe('a block', () => {
  placeForEach();

  test('is rendered by its extension with validated props and their defaults, and lists the assets of the page', async () => {
    const { name, asked, answer, site } = placed;
    const { vendor, name: extension } = site.manifest;
    answer('<h2 onclick="x()">Reviews</h2><acme-stars rating="4"></acme-stars><script>x()</script>');
    const props = { ...fresh(), most: 5, unit: 'hearts', other: 'dropped' };
    expect(await show(api, name, { props })).toMatchObject({
      status: 200,
      html: '<h2>Reviews</h2><acme-stars rating="4"></acme-stars>',
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'x-block-status': 'rendered',
        'x-block-stylesheet': `/_ext/${vendor}/${extension}/1.0.0/assets/reviews.css`,
        'x-block-script': `/_ext/${vendor}/${extension}/1.0.0/assets/reviews.js`,
      },
    });
    expect(parseProps(asked.at(-1) ?? '')).toEqual({ heading: props.heading, unit: 'hearts', most: 5, colour: '#fa0' });
  });

  test('without a script names none, and needs no props', async () => {
    const shown = await show(api, placed.list, { pageType: 'page' });
    expect(shown).toMatchObject({ status: 200, html: '<ul><li>List</li></ul>', block: 'rendered' });
    expect(shown.headers).not.toHaveProperty('x-block-script');
    expect(shown.headers).not.toHaveProperty('x-block-reason');
  });

  test('has no assets in the page editor', async () => {
    const props = JSON.stringify(fresh());
    const ask = async (editor: string) => {
      const query = new URLSearchParams({ page_type: 'product', props, editor });
      return api.app.inject({ url: `/theme/blocks/${placed.name}?${query}`, headers: await asUser(api) });
    };
    // Its bytes are kept after the first, and the headers are not those of who asked before.
    for (const [editor, isThere] of [
      ['false', true],
      ['true', false],
      ['false', true],
      ['true', false],
    ] as const) {
      const { statusCode, headers, body } = await ask(editor);
      expect([statusCode, body]).toEqual([200, '<p>Stars</p>']);
      expect(['x-block-stylesheet', 'x-block-script'].map((name) => name in headers)).toEqual([isThere, isThere]);
    }
    expect((await ask('perhaps')).statusCode).toBe(422);
  });

  test('is rendered once for concurrent callers, and for later ones', async () => {
    const { name, asked } = placed;
    const before = asked.length;
    const props = fresh();
    const shown = await Promise.all(Array.from({ length: 10 }, () => show(api, name, { props })));
    expect(new Set(shown.map(({ block }) => block))).toEqual(new Set(['rendered']));
    await show(api, name, { props });
    expect(asked.length - before).toBe(1);
  });

  test('is requested with a signature that the extension can verify with the secret of its owner only', async () => {
    const { name, answer, site } = placed;
    let request: IncomingMessage | undefined;
    answer((received, response) => {
      request = received;
      response.writeHead(200, { 'content-type': 'text/html', 'x-extension-version': '1.0.0' }).end();
    });
    await show(api, name, { props: fresh() });
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request?.headers ?? {};
    const secrets = async (as: object) =>
      (
        await api.graphql<{ extensions: { edges: { node: { requestSecret: string | null } }[] } | null }>(
          'query ($name: String!) { extensions(filter: { name: $name }) { edges { node { requestSecret } } } }',
          { name: site.manifest.name },
          as,
        )
      ).data.extensions?.edges.map(({ node }) => node.requestSecret);
    const [secret] = (await secrets({})) ?? [];
    expect(secret).toMatch(/^whsec_/);
    const message = { id: String(id), timestamp: String(timestamp), body: Buffer.from(request?.url ?? '') };
    expect(verifyMessage(message, String(signature), [String(secret)])).toBe(true);
    expect(verifyMessage({ ...message, body: Buffer.from('/') }, String(signature), [String(secret)])).toBe(false);
    expect(await secrets({ tenant: 'acme-outlet' })).toEqual([null]);
    expect(await secrets({ roles: ['user'] })).toEqual([null]);
  });

  test('accepts props of almost 8 KiB', async () => {
    const props = { heading: 'x'.repeat(8_100) };
    expect(await show(api, placed.name, { props })).toMatchObject({ status: 200, block: 'rendered' });
    expect(parseProps(placed.asked.at(-1) ?? '')).toMatchObject(props);
  });
});

describe('props are refused', () => {
  // One is enough, as the site is not asked.
  let first: Promise<Placed> | undefined;
  test.beforeEach(async () => {
    placed = await (first ??= place(api));
  });

  test.each([
    ['of the wrong type', { heading: 1 }, 'props.heading'],
    ['null where a value belongs', { heading: null }, 'props.heading'],
    ['below the least', { most: 0 }, 'props.most'],
    ['above the most', { most: 10.5 }, 'props.most'],
    ['between two steps', { most: 3.5 }, 'props.most'],
    ['a number as text', { most: '5' }, 'props.most'],
    ['no option', { unit: 'toString' }, 'props.unit'],
    ['no colour', { colour: 'red' }, 'props.colour'],
    ['a list', [], 'props'],
    ['a text', '"heading"', 'props'],
    ['null', 'null', 'props'],
    ['no JSON', '{', 'props'],
    ['larger than 8 KiB', { heading: 'x'.repeat(8_192) }, 'props'],
  ])('%s', async (_what, props, field) => {
    const { status, errors = {} } = await show(api, placed.name, { props });
    expect({ status, fields: Object.keys(errors) }).toEqual({ status: 422, fields: [field] });
  });

  test('and so is a missing page type, or one that the block may not be placed on', async () => {
    expect(await show(api, placed.name, { pageType: 'region' })).toMatchObject({
      status: 422,
      errors: { page_type: [expect.stringContaining('product, page')] },
    });
    expect(await show(api, placed.name, { pageType: '' })).toMatchObject({
      status: 422,
      errors: { page_type: [expect.any(String)] },
    });
  });
});

describe('a block is empty, and the log says why, where its island', () => {
  placeForEach();

  const header = { 'content-type': 'text/html; charset=utf-8', 'x-extension-version': '1.0.0' };
  test.each<[string, string, Parameters<Placed['answer']>[0]]>([
    ['answers 500', 'bad_status', (_request, response) => response.writeHead(500, header).end('x')],
    ['is not there', 'bad_status', (_request, response) => response.writeHead(404).end()],
    [
      'redirects inwards',
      'redirect',
      (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    [
      'sends bytes',
      'not_html',
      (_request, response) => response.writeHead(200, { ...header, 'content-type': 'image/png' }).end('x'),
    ],
    [
      'names no type',
      'not_html',
      (_request, response) => response.writeHead(200, { 'x-extension-version': '1.0.0' }).end('x'),
    ],
    [
      'uses another charset',
      'not_html',
      (_request, response) =>
        response.writeHead(200, { ...header, 'content-type': 'text/html; charset=iso-8859-1' }).end('x'),
    ],
    [
      'is not in UTF-8',
      'not_html',
      (_request, response) => response.writeHead(200, header).end(Buffer.from([0xff, 0xfe])),
    ],
    [
      'is larger than 256 KiB',
      'too_large',
      (_request, response) => response.writeHead(200, header).end('x'.repeat(maxIslandBytes + 1)),
    ],
    [
      'streams without end',
      'too_large',
      (_request, response) => {
        response.writeHead(200, header);
        const more = (): void =>
          void (response.destroyed || response.write('x'.repeat(65_536), () => setImmediate(more)));
        more();
      },
    ],
    ['is nested too deeply', 'too_large', '<b>'.repeat(600)],
    ['closes the connection', 'unreachable', (request) => request.socket.destroy()],
    [
      'is of another version',
      'version_mismatch',
      (_request, response) => response.writeHead(200, { ...header, 'x-extension-version': '1.0.1' }).end('x'),
    ],
  ])('%s', async (_what, reason, answer) => {
    const { name } = placed;
    placed.answer(answer);
    const before = api.logLines.length;
    expect(await show(api, name, { props: fresh() })).toMatchObject({ status: 200, html: '', block: 'empty', reason });
    const lines = api.logLines.slice(before).map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(
      expect.objectContaining({ tenantId: 'acme-shop', block: name, reason, why: expect.any(String) as string }),
    );
    placed.answer('<p>Again</p>');
    expect(await show(api, name, { props: fresh() })).toMatchObject({ block: 'rendered', html: '<p>Again</p>' });
  });

  test('cannot be reached, or only at a private address', async () => {
    const { name, site } = placed;
    api.egressAllow.delete(`127.0.0.1:${site.port}`);
    expect(await show(api, name)).toMatchObject({ status: 200, block: 'empty', reason: 'unreachable' });
  });

  test('hangs or drips; the extension is then not called for a while', async () => {
    const { name, list, asked, answer } = placed;
    answer((_request, response) => {
      response.writeHead(200, header);
      const drip = setInterval(() => response.write('x'), 100);
      response.on('close', () => clearInterval(drip));
    });
    expect(await show(api, name)).toMatchObject({ status: 200, html: '', block: 'empty', reason: 'timeout' });
    answer('<p>Back</p>');
    expect(await show(api, name, { props: fresh() })).toMatchObject({ block: 'empty', reason: 'timeout' });
    expect(await show(api, list, { pageType: 'page' })).toMatchObject({ block: 'empty', reason: 'timeout' });
    const attention = '{ attention(kinds: [CIRCUIT_OPEN]) { severity title count node { __typename } } }';
    await expect
      .poll(async () => (await api.graphql(attention)).data, { timeout: 20_000 })
      .toMatchObject({ attention: [{ severity: 'CRITICAL', node: { __typename: 'Installation' } }] });
    expect(asked).toHaveLength(1);
    await expect.poll(async () => (await show(api, name)).block, { timeout: 30_000 }).toBe('rendered');
  });
});

describe('the version of an extension', () => {
  placeForEach();

  test('is that of its manifest if its islands do not send it', async () => {
    const { name, answer, site } = placed;
    const unsaid: Parameters<typeof answer>[0] = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>x</p>');
    answer(unsaid);
    expect(await show(api, name, { props: fresh() })).toMatchObject({ block: 'rendered' });
    const other = await place(api);
    other.answer(unsaid);
    other.site.manifest = { ...other.site.manifest, version: '2.0.0' };
    expect(await show(api, other.name)).toMatchObject({ block: 'empty', reason: 'version_mismatch' });
    site.answers['/theme-extensions.json'] = (_request, response) => response.end('{');
    await expect
      .poll(async () => (await show(api, name, { props: fresh() })).reason, { timeout: 20_000 })
      .toBe('version_mismatch');
  });

  test('that differs from the pin invalidates all its cached blocks', async () => {
    const { name, answer } = placed;
    const props = fresh();
    expect(await show(api, name, { props })).toMatchObject({ block: 'rendered' });
    answer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html', 'x-extension-version': '1.0.1' }).end(),
    );
    expect(await show(api, name, { props })).toMatchObject({ block: 'rendered' });
    expect(await show(api, name, { props: fresh() })).toMatchObject({ reason: 'version_mismatch' });
    expect(await show(api, name, { props })).toMatchObject({ reason: 'version_mismatch' });
  });
});

test.each(['ext__acme__nothing__stars', 'ext__acme', 'stars', 'ext__a__b__\0', 'ext__acme__reviews__stars__more'])(
  'a block is not found where nothing has the name %j',
  async (name) => {
    expect(await show(api, name)).toMatchObject({ status: 404 });
  },
);

describe('a block is not found', () => {
  placeForEach();

  test('while its installation is disabled, and after it is uninstalled', async () => {
    const { name, installationId } = placed;
    await run(api, 'disableInstallation', { id: installationId });
    expect(await show(api, name)).toMatchObject({ status: 404 });
    await run(api, 'enableInstallation', { id: installationId });
    expect(await show(api, name)).toMatchObject({ status: 200 });
    await run(api, 'uninstallExtension', { installationId });
    expect(await show(api, name)).toMatchObject({ status: 404 });
  });

  test('by another tenant, even concurrently', async () => {
    const outlet = await asUser(api, 'acme-outlet');
    const shown = await Promise.all([
      show(api, placed.name),
      show(api, placed.name, { headers: outlet }),
      show(api, placed.list, { pageType: 'page' }),
      show(api, 'ext__acme__nothing__stars'),
    ]);
    expect(shown.map(({ status }) => status)).toEqual([200, 404, 200, 404]);
    expect(shown.map(({ html }) => html)).toMatchObject({ 0: '<p>Stars</p>', 2: '<ul><li>List</li></ul>' });
  });

  test('once an operator blocks its version', async () => {
    const { name, extensionId } = placed;
    expect(await show(api, name)).toMatchObject({ status: 200, block: 'rendered' });
    await run(api, 'withdrawExtension', { id: extensionId, block: true, reason: 'It tracks visitors.' });
    expect(await show(api, name)).toMatchObject({ status: 404 });
  });

  test('if the version after an upgrade no longer has it', async () => {
    const { name, list, site, installationId } = placed;
    expect(await show(api, name)).toMatchObject({ status: 200, block: 'rendered' });
    const blocks = site.manifest.blocks.filter(({ id }) => id === 'list');
    site.manifest = { ...site.manifest, version: '1.1.0', blocks };
    const { extension } = await run(api, 'registerExtension', { url: site.url });
    await run(api, 'publishExtension', { id: extension?.id });
    await run(api, 'upgradeInstallation', { id: installationId, extensionId: extension?.id });
    expect(await show(api, name)).toMatchObject({ status: 404 });
    expect(await show(api, list, { pageType: 'page' })).toMatchObject({ status: 200 });
  });

  test('while the theme is out of range, including prereleases, with a line in the log', async () => {
    const { name } = placed;
    for (const version of ['3.0.0', '2.2.0-beta.1']) {
      await haveTheme(api, version);
      const before = api.logLines.length;
      expect(await show(api, name)).toMatchObject({ status: 404 });
      const payload = { page_type: 'product', blocks: [{ name }] };
      const page = await api.app.inject({ method: 'POST', url: '/theme/blocks', payload, headers: await asUser(api) });
      expect(page.statusCode).toBe(200);
      const why = `It is built for acme/starter ^2.1.0, and ${version} is installed.`;
      const line = { tenantId: 'acme-shop', block: name, reason: 'not_in_catalogue', why };
      const lines = api.logLines.slice(before).map((each) => JSON.parse(each) as { block?: string });
      expect(lines.filter(({ block }) => block === name)).toMatchObject([line, line]);
    }
    await haveTheme(api, '2.1.0');
    expect(await show(api, name)).toMatchObject({ status: 200, block: 'rendered' });
  });
});

test('anonymous callers are refused, and keys need the scope', async () => {
  const { name } = await place(api);
  expect(await show(api, name, { headers: {} })).toMatchObject({ status: 401 });
  const keyed = async (scope: string) => ({
    'x-platform-api-key': await api.apiKey([scope]),
    'x-platform-tenant': 'acme-shop',
  });
  expect(await show(api, name, { headers: await keyed('orders:read') })).toMatchObject({ status: 403 });
  expect(await show(api, name, { headers: await keyed('theme:read') })).toMatchObject({ status: 200 });
});

test('the graph renders a block too', async () => {
  placed = await place(api);
  placed.answer('<p>In the graph</p>');
  const document = `query ($name: String!, $props: JSON, $pageType: String!, $editor: Boolean) {
    renderBlock(name: $name, props: $props, pageType: $pageType, editor: $editor) { html status reason stylesheet script }
  }`;
  const ask = (variables: object) => api.graphql(document, { name: placed.name, pageType: 'product', ...variables });
  const path = expect.stringMatching(/^\/_ext\/acme\//);
  expect((await ask({ props: fresh() })).data).toEqual({
    renderBlock: { html: '<p>In the graph</p>', status: 'RENDERED', reason: null, stylesheet: path, script: path },
  });
  expect((await ask({ props: fresh(), editor: true })).data).toEqual({
    renderBlock: { html: '<p>In the graph</p>', status: 'RENDERED', reason: null, stylesheet: null, script: null },
  });
  placed.answer((_request, response) => response.writeHead(503).end());
  expect((await ask({ props: fresh() })).data).toEqual({
    renderBlock: { html: '', status: 'EMPTY', reason: 'bad_status', stylesheet: null, script: null },
  });
  expect((await ask({ props: { most: 99 } })).errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect((await ask({ name: 'ext__a__b__c' })).errors?.[0]?.extensions).toMatchObject({ code: 'NOT_FOUND' });
});
