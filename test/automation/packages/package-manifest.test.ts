import { describe, expect, test } from 'vitest';
import { readNodePackage } from '#src/automation/packages/package-manifest.rules.ts';
import { ValidationError } from '#src/infra/errors.ts';

type Document = Record<string, unknown>;

const node: Document = {
  manifest_version: 'v0-draft',
  slug: 'erp:send',
  version: '1.0.0',
  name: 'Send',
  kind: 'action',
  icon: 'logo.svg',
  config: [{ key: 'url', type: 'url', required: true }],
  entry: 'send.ts',
};
const credential: Document = {
  slug: 'erp:api',
  version: '1.0.0',
  name: 'API',
  auth_kind: 'secret',
  fields: [{ key: 'token', type: 'secret', pattern: '^[a-z]+$' }],
};
const template: Document = {
  slug: 'erp:flow',
  version: '1.0.0',
  name: 'Flow',
  placeholders: [{ key: 'url', kind: 'value' }],
  blob: {
    version: 'v1',
    nodes: [{ id: 'a', node: 'erp:send', version: '1.0.0', config: { url: { $placeholder: 'url' } } }],
    edges: [],
  },
};
const contents: Document = {
  namespace: 'erp',
  label: 'ERP',
  nodes: ['send.json'],
  credential_types: ['api.json'],
  templates: ['flow.json'],
  images: ['logo.svg'],
};
const packageJson: Document = { name: '@acme/erp', version: '1.2.3', causeway: './causeway.json' };

/** The valid package with some files replaced; `undefined` takes one out. */
function packageWith(changes: Record<string, Document | string | Buffer | undefined> = {}): Map<string, Buffer> {
  const files: Record<string, Document | string | Buffer | undefined> = {
    'package.json': packageJson,
    'causeway.json': contents,
    'send.json': node,
    'send.ts': 'export const execute = () => ({})',
    'api.json': credential,
    'flow.json': template,
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    ...changes,
  };
  return new Map(
    Object.entries(files).flatMap(([path, content]) => {
      if (content === undefined) return [];
      const isText = typeof content === 'string' || Buffer.isBuffer(content);
      return [[path, Buffer.from(isText ? content : JSON.stringify(content))]];
    }),
  );
}

function findErrors(changes: Parameters<typeof packageWith>[0]): Record<string, string[]> {
  try {
    readNodePackage(packageWith(changes));
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError);
    return { ...(error as ValidationError).fields };
  }
  throw new Error('The package was taken as valid.');
}

test('a valid package is described completely', () => {
  expect(readNodePackage(packageWith())).toEqual({
    name: '@acme/erp',
    version: '1.2.3',
    label: 'ERP',
    description: '',
    namespace: 'erp',
    nodes: [node],
    credentialTypes: [credential],
    templates: [template],
    messages: [],
    images: [
      {
        path: 'logo.svg',
        contentType: 'image/svg+xml',
        content: expect.any(Buffer),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ],
  });
});

describe('an invalid package reports the file and the position', () => {
  const deepConfig = Array.from({ length: 80 }).reduce<Document>((inner) => ({ inner }), {});
  const deepBlob = { version: 'v1', nodes: [{ id: 'a', node: 'erp:send', version: '1.0.0', config: deepConfig }] };
  const text = (key: string): Document => ({ key, type: 'string' });
  const nest = (levels: number, innermost: Document): Document =>
    levels === 0 ? innermost : { key: 'in', type: 'object', fields: [nest(levels - 1, innermost)] };
  const manyMembers = (key: string, count: number): Document => ({
    key,
    type: 'object',
    fields: Array.from({ length: count }, (_, n) => text(`member${n}`)),
  });
  const withField = (field: Document): Document => ({ ...node, config: [field] });
  const cases: [string, Parameters<typeof packageWith>[0], string, RegExp][] = [
    ['no package.json', { 'package.json': undefined }, 'package.json', /not in the archive/],
    ['no causeway key', { 'package.json': { name: 'a', version: '1.0.0' } }, 'package.json', /"causeway"/],
    [
      'a causeway key that leads nowhere',
      { 'package.json': { ...packageJson, causeway: '../x' } },
      'package.json#/causeway',
      /not in the archive/,
    ],
    [
      'an invalid version',
      { 'package.json': { ...packageJson, version: '1' } },
      'package.json#/version',
      /form of "1\.0\.0"/,
    ],
    ['broken JSON', { 'send.json': '{"a":' }, 'send.json', /not JSON/],
    ['JSON that is not UTF-8', { 'send.json': Buffer.from([0x22, 0xff, 0x22]) }, 'send.json', /not JSON in UTF-8/],
    ['an enormous manifest', { 'send.json': `"${'x'.repeat(1024 * 1024)}"` }, 'send.json', /larger than/],
    [
      'a listed file that is missing',
      { 'api.json': undefined },
      'causeway.json#/credential_types/0',
      /"api.json".*not in/,
    ],
    [
      'a path that climbs',
      { 'causeway.json': { ...contents, nodes: ['../send.json'] } },
      'causeway.json#/nodes/0',
      /form of "nodes\/create-order\.ts"/,
    ],
    ['nothing in it', { 'causeway.json': { namespace: 'erp', label: 'E' } }, 'causeway.json', /lists no node/],
    [
      'a reserved namespace',
      { 'causeway.json': { ...contents, namespace: 'core' } },
      'causeway.json#/namespace',
      /reserved/,
    ],
    [
      "the shop's reserved namespace",
      { 'causeway.json': { ...contents, namespace: 'commerce' } },
      'causeway.json#/namespace',
      /reserved/,
    ],
    [
      'a slug of another namespace',
      { 'send.json': { ...node, slug: 'crm:send' } },
      'send.json#/slug',
      /begin with "erp:"/,
    ],
    ['an invalid slug', { 'send.json': { ...node, slug: 'Send' } }, 'send.json#/slug', /form of "acme:create-order"/],
    [
      'another manifest version',
      { 'send.json': { ...node, manifest_version: 'v1' } },
      'send.json#/manifest_version',
      /"v0-draft"/,
    ],
    ['a misspelt member', { 'send.json': { ...node, lable: 'x' } }, 'send.json', /no member "lable"/],
    ['a missing member', { 'send.json': { ...node, kind: undefined } }, 'send.json', /needs the member "kind"/],
    [
      'an unknown kind of field',
      { 'send.json': withField({ key: 'a', type: 'color' }) },
      'send.json#/config/0/type',
      /one of "string"/,
    ],
    [
      'a select without options',
      { 'send.json': withField({ key: 'a', type: 'select' }) },
      'send.json#/config/0',
      /"options"/,
    ],
    [
      'a default that is not an option',
      { 'send.json': withField({ key: 'a', type: 'select', options: [{ value: 1 }], default: 2 }) },
      'send.json#/config/0/default',
      /not one of the options/,
    ],
    [
      'a secret with a default',
      { 'send.json': withField({ key: 'a', type: 'secret', default: 'x' }) },
      'send.json#/config/0/default',
      /not allowed/,
    ],
    [
      'a credentials-ref to nothing',
      { 'send.json': withField({ key: 'a', type: 'credentials-ref' }) },
      'send.json#/config/0',
      /"credential_types"/,
    ],
    [
      'the same key twice',
      {
        'send.json': {
          ...node,
          config: [
            { key: 'a', type: 'url' },
            { key: 'a', type: 'url' },
          ],
        },
      },
      'send.json#/config/1/key',
      /earlier field/,
    ],
    [
      'a pattern that backtracks',
      { 'send.json': withField({ key: 'a', type: 'string', pattern: '(a)\\1' }) },
      'send.json#/config/0/pattern',
      /RE2/,
    ],
    ['no entry', { 'send.json': { ...node, entry: undefined } }, 'send.json', /"entry"/],
    ['an entry that is missing', { 'send.ts': undefined }, 'send.json#/entry', /not in the archive/],
    [
      'branches from no field',
      { 'send.json': { ...node, branches_from: 'cases' } },
      'send.json#/branches_from',
      /not a config field/,
    ],
    ['an icon that is not listed', { 'send.json': { ...node, icon: 'other.svg' } }, 'send.json#/icon', /do not list/],
    [
      'a file that is not an image',
      { 'logo.svg': 'plain text' },
      'causeway.json#/images/0',
      /does not hold image\/svg/,
    ],
    [
      'an image too large',
      { 'logo.svg': `<svg>${' '.repeat(600 * 1024)}</svg>` },
      'causeway.json#/images/0',
      /larger than 512 KiB/,
    ],
    [
      'a file that is not an image',
      { 'causeway.json': { ...contents, images: ['logo.svg', 'send.ts'] } },
      'causeway.json#/images/1',
      /not an svg/,
    ],
    [
      'an oauth2 type without endpoints',
      { 'api.json': { ...credential, auth_kind: 'oauth2' } },
      'api.json',
      /authorize_url/,
    ],
    [
      'a placeholder nobody declared',
      { 'flow.json': { ...template, placeholders: [] } },
      'flow.json#/blob',
      /"url", which is not declared/,
    ],
    [
      'a placeholder nobody uses',
      { 'flow.json': { ...template, blob: { version: 'v1', nodes: [], edges: [] } } },
      'flow.json#/placeholders/0',
      /used nowhere/,
    ],
    [
      'a manifest nested without end',
      { 'send.json': `{"config":${'['.repeat(5000)}${']'.repeat(5000)}}` },
      'send.json',
      /deeper than 100/,
    ],
    [
      'an invalid blob',
      { 'flow.json': { ...template, blob: { version: 'v1', nodes: [{ id: 'a b', node: 'erp:send', version: '1' }] } } },
      'flow.json#/blob/nodes/0/id',
      /letters/,
    ],
    [
      'a blob nested too deeply',
      { 'flow.json': { ...template, blob: deepBlob } },
      'flow.json#/blob/nodes/0/config',
      /levels/,
    ],
    [
      'fields deeper than six levels',
      { 'send.json': withField(nest(7, { key: 'in', type: 'string' })) },
      `send.json#/config/0${'/fields/0'.repeat(7)}`,
      /deeper than 6 levels/,
    ],
    [
      'more than five hundred fields, with those within others',
      { 'send.json': { ...node, config: Array.from({ length: 6 }, (_, n) => manyMembers(`part${n}`, 100)) } },
      'send.json#/config',
      /more than 500 fields/,
    ],
    [
      'two members of one name',
      { 'send.json': withField({ key: 'body', type: 'object', fields: [text('a'), text('a')] }) },
      'send.json#/config/0/fields/1/key',
      /"a" is the key of an earlier field/,
    ],
    [
      'two shapes of one name',
      {
        'send.json': withField({
          key: 'body',
          type: 'variant',
          variants: [
            { name: 'card', field: text('a') },
            { name: 'card', field: text('b') },
          ],
        }),
      },
      'send.json#/config/0/variants/1/name',
      /"card" is the name of an earlier shape/,
    ],
    [
      'a member that would be a secret, which a config stores as it is',
      { 'send.json': withField({ key: 'body', type: 'object', fields: [{ key: 'token', type: 'secret' }] }) },
      'send.json#/config/0/fields/0/type',
      /one of/,
    ],
  ];

  test.each(cases)('%s', (_name, changes, place, reason) => {
    const errors = findErrors(changes);
    expect(Object.keys(errors)).toContain(place);
    expect(errors[place]?.join(' ')).toMatch(reason);
  });

  test('with only the fault of a manifest, not its consequences', () => {
    expect(
      findErrors({
        'causeway.json': { ...contents, nodes: ['send.json'], credential_types: [], templates: [] },
        'send.json': '{',
      }),
    ).toEqual({
      'send.json': [expect.stringContaining('is not JSON')],
    });
    expect(Object.keys(findErrors({ 'logo.svg': 'no image' }))).toEqual(['causeway.json#/images/0']);
  });

  test('two documents with one slug', () => {
    const errors = findErrors({
      'causeway.json': { ...contents, nodes: ['send.json', 'again.json'] },
      'again.json': node,
    });
    expect(errors).toEqual({ 'again.json#/slug': ['"erp:send" is taken by send.json.'] });
  });

  test('with the first reason in the message and a bounded number of them', () => {
    const config = Array.from({ length: 100 }, (_, index) => ({ key: `k${index}`, type: 'nothing' }));
    try {
      readNodePackage(packageWith({ 'send.json': { ...node, config } }));
      expect.unreachable();
    } catch (error) {
      expect((error as ValidationError).message).toMatch(
        /^The node package is invalid: send\.json#\/config\/0\/type must be one of .*more\)\.$/,
      );
      expect(Object.keys((error as ValidationError).fields).length).toBeLessThanOrEqual(50);
    }
  });

  test('patterns that would take minutes to compile, however many nodes they are spread over', () => {
    const names = Array.from({ length: 15 }, (_, index) => `costly-${index}`);
    const nodes = names.map((name, index): [string, Document] => {
      const fields = Array.from({ length: 100 }, (_each, n) => ({
        key: `k${n}`,
        type: 'string',
        pattern: `(?i)^[a-z]{1000}${index}-${n}$`,
      }));
      return [`${name}.json`, { ...node, slug: `erp:${name}`, config: fields }];
    });
    const errors = findErrors({
      'causeway.json': { ...contents, nodes: ['send.json', ...nodes.map(([path]) => path)] },
      ...Object.fromEntries(nodes),
    });
    expect(Object.values(errors)[0]).toEqual([expect.stringMatching(/one pattern too many/)]);
    const again = nodes.map(([path, document]): [string, Document] => [
      path,
      { ...document, config: nodes[0]?.[1].config },
    ]);
    const readAgain = () =>
      readNodePackage(
        packageWith({
          'causeway.json': { ...contents, nodes: ['send.json', ...nodes.map(([path]) => path)] },
          ...Object.fromEntries(again),
        }),
      );
    expect(readAgain).not.toThrow();
  });

  test('a member named __proto__ changes nothing', () => {
    const errors = findErrors({ 'send.json': JSON.stringify(node).replace('{', '{"__proto__":{"polluted":1},') });
    expect(Object.keys(errors)).toEqual(['send.json']);
    expect(({} as Document).polluted).toBeUndefined();
  });
});
