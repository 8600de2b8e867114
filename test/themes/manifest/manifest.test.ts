import { describe, expect, test } from 'vitest';
import { checkManifest, pointerOf, sentenceOf } from '#src/themes/manifest/manifest.rules.ts';

const block = { id: 'size_guide', island: 'SizeGuide', title: 'Size guide', enabledOn: ['product', 'page'] };
const manifest = {
  kind: 'theme-extension',
  vendor: 'acme-labs',
  name: 'guides',
  version: '1.0.0-rc.1+7',
  title: 'Guides',
  target: { theme: 'Acme/starter', version: '^2.1.0' },
  blocks: [block],
};
const blockWith = (changes: object) => ({ blocks: [{ ...block, ...changes }] });
const setting = (of: object) => blockWith({ settings: { unitName: of } });
const target = (changes: object) => ({ target: { ...manifest.target, ...changes } });
const hash = `sha384-${Buffer.alloc(48, 7).toString('base64')}`;

/** Each rule: members of a manifest that keep it, others that break it, and where the fault is. */
const rules: [rule: string, valid: object, invalid: object, pointer: string][] = [
  ['members are those of the schema', { $schema: 'https://example.com/s.json' }, { extra: 1 }, '/extra'],
  ['kind is theme-extension', { kind: 'theme-extension' }, { kind: 'app' }, '/kind'],
  ['a title is there', { title: '' }, { title: undefined }, '/title'],
  ['a vendor is lower case', { vendor: 'a1' }, { vendor: 'Acme' }, '/vendor'],
  ['a vendor begins with a letter', { vendor: 'acme' }, { vendor: '1acme' }, '/vendor'],
  ['a vendor has single hyphens', { vendor: 'a-b-c' }, { vendor: 'acme--labs' }, '/vendor'],
  ['a vendor does not end in a hyphen', { vendor: 'ac-me' }, { vendor: 'acme-' }, '/vendor'],
  ['a vendor has two characters or more', { vendor: 'ab' }, { vendor: 'a' }, '/vendor'],
  ['a vendor has forty characters or fewer', { vendor: 'a'.repeat(40) }, { vendor: 'a'.repeat(41) }, '/vendor'],
  ['a name is as a vendor', { name: 'size-guides' }, { name: 'size_guides' }, '/name'],
  ['a version is semantic', { version: '0.0.1-a.1+b' }, { version: '1.0' }, '/version'],
  [
    'a version has 32 characters or fewer',
    { version: `1.0.0-${'a'.repeat(26)}` },
    { version: `1.0.0-${'a'.repeat(27)}` },
    '/version',
  ],
  ['a type is public or private', { type: 'public' }, { type: 'secret' }, '/type'],
  ['a description is text', { description: 'Sizes.' }, { description: 1 }, '/description'],
  ['an icon is text', { icon: 'icon.svg' }, { icon: {} }, '/icon'],
  ['a theme has a vendor', target({ theme: 'A b'.replace(' ', '.') + '/x' }), target({ theme: '/x' }), '/target/theme'],
  ['a theme is named in lower case', target({ theme: 'A/x-1' }), target({ theme: 'A/X' }), '/target/theme'],
  ['a target has a version', target({ version: '1' }), target({ version: undefined }), '/target/version'],
  [
    'the version of a target is a range',
    target({ version: '>=2 <4 || 5.x' }),
    target({ version: 'two' }),
    '/target/version',
  ],
  [
    'the range of a target is short',
    target({ version: `>=2.1.0${' '.repeat(493)}` }),
    target({ version: `>=2.1.0${' '.repeat(494)}` }),
    '/target/version',
  ],
  ['there is a block', blockWith({}), { blocks: [] }, '/blocks'],
  ['members of a block are those of the schema', blockWith({}), blockWith({ colour: 1 }), '/blocks/0/colour'],
  ['a block id has single underscores', blockWith({ id: 'a_b_c' }), blockWith({ id: 'a__b' }), '/blocks/0/id'],
  ['a block id does not end in an underscore', blockWith({ id: 'a1' }), blockWith({ id: 'a_' }), '/blocks/0/id'],
  [
    'block ids are unique',
    { blocks: [block, { ...block, id: 'other' }] },
    { blocks: [block, { ...block, island: 'Other' }] },
    '/blocks/1/id',
  ],
  ['an island is in PascalCase', blockWith({ island: 'A1b' }), blockWith({ island: 'sizeGuide' }), '/blocks/0/island'],
  ['a block has a title', blockWith({}), blockWith({ title: undefined }), '/blocks/0/title'],
  ['a block is for some page', blockWith({ enabledOn: ['p'] }), blockWith({ enabledOn: [] }), '/blocks/0/enabledOn'],
  ['a page is named once', blockWith({}), blockWith({ enabledOn: ['page', 'page'] }), '/blocks/0/enabledOn'],
  [
    'a page is in lower case',
    blockWith({ enabledOn: ['p_1'] }),
    blockWith({ enabledOn: ['Page'] }),
    '/blocks/0/enabledOn/0',
  ],
  [
    'a block with javascript has a module to load',
    { ...blockWith({ javascript: true }), assets: { javascript: '/a.js' } },
    blockWith({ javascript: true }),
    '/blocks/0/javascript',
  ],
  [
    'a key of a setting begins in lower case',
    blockWith({ settings: { unitName_1: { type: 'text', label: 'Unit' } } }),
    blockWith({ settings: { UnitName: { type: 'text', label: 'Unit' } } }),
    '/blocks/0/settings/UnitName',
  ],
  [
    'a setting has a type that is known',
    setting({ type: 'text', label: 'U' }),
    setting({ type: 'date', label: 'U' }),
    '/blocks/0/settings/unitName/type',
  ],
  [
    'a setting has a label',
    setting({ type: 'checkbox', label: '' }),
    setting({ type: 'text' }),
    '/blocks/0/settings/unitName/label',
  ],
  [
    'a setting has what its type has',
    setting({ type: 'text', label: 'U', default: 'cm', placeholder: 'cm' }),
    setting({ type: 'text', label: 'U', min: 1 }),
    '/blocks/0/settings/unitName/min',
  ],
  [
    'the default of a text is text',
    setting({ type: 'text', label: 'U', default: '' }),
    setting({ type: 'text', label: 'U', default: 1 }),
    '/blocks/0/settings/unitName/default',
  ],
  [
    'the default of a checkbox is true or false',
    setting({ type: 'checkbox', label: 'U', default: true }),
    setting({ type: 'checkbox', label: 'U', default: 'yes' }),
    '/blocks/0/settings/unitName/default',
  ],
  [
    'the default of a colour is in hex',
    setting({ type: 'color', label: 'U', default: '#0aF' }),
    setting({ type: 'color', label: 'U', default: 'red' }),
    '/blocks/0/settings/unitName/default',
  ],
  [
    'radios have options',
    setting({ type: 'radios', label: 'U', options: { a: 'A' } }),
    setting({ type: 'radios', label: 'U', options: {} }),
    '/blocks/0/settings/unitName/options',
  ],
  [
    'the default of radios is an option',
    setting({ type: 'radios', label: 'U', options: { a: 'A' }, default: 'a' }),
    setting({ type: 'radios', label: 'U', options: { a: 'A' }, default: 'toString' }),
    '/blocks/0/settings/unitName/default',
  ],
  [
    'a number is within its bounds',
    setting({ type: 'number', label: 'U', default: 2, min: 0, max: 2 }),
    setting({ type: 'number', label: 'U', default: 3, max: 2 }),
    '/blocks/0/settings/unitName/default',
  ],
  [
    'the bounds of a number are in order',
    setting({ type: 'number', label: 'U', min: 1, max: 1 }),
    setting({ type: 'number', label: 'U', min: 2, max: 1 }),
    '/blocks/0/settings/unitName/min',
  ],
  [
    'a range has both ends',
    setting({ type: 'range', label: 'U', min: 0, max: 1 }),
    setting({ type: 'range', label: 'U', min: 0 }),
    '/blocks/0/settings/unitName/max',
  ],
  [
    'the ends of a range are in order',
    setting({ type: 'range', label: 'U', min: -1, max: 0 }),
    setting({ type: 'range', label: 'U', min: 1, max: 1 }),
    '/blocks/0/settings/unitName/min',
  ],
  [
    'a range is within its ends',
    setting({ type: 'range', label: 'U', min: 0, max: 9, default: 9 }),
    setting({ type: 'range', label: 'U', min: 0, max: 9, default: -1 }),
    '/blocks/0/settings/unitName/default',
  ],
  [
    'a range steps',
    setting({ type: 'range', label: 'U', min: 0, max: 9, step: 0.5 }),
    setting({ type: 'range', label: 'U', min: 0, max: 9, step: 0 }),
    '/blocks/0/settings/unitName/step',
  ],
  [
    'a stylesheet is a path of the site',
    { assets: { stylesheet: '/a/b_c-d.css' } },
    { assets: { stylesheet: 'https://example.com/a.css' } },
    '/assets/stylesheet',
  ],
  [
    'a module is JavaScript',
    { assets: { javascript: '/a.mjs' } },
    { assets: { javascript: '/a.ts' } },
    '/assets/javascript',
  ],
  [
    'an asset does not climb',
    { assets: { javascript: '/a..b.js' } },
    { assets: { javascript: '/a/../b.js' } },
    '/assets/javascript',
  ],
  [
    'an asset names no other host',
    { assets: { stylesheet: '/example.com/a.css' } },
    { assets: { stylesheet: '//example.com/a.css' } },
    '/assets/stylesheet',
  ],
  [
    'integrity is SHA-384',
    { integrity: { '/a.css': hash } },
    { integrity: { '/a.css': 'sha256-AbC' } },
    '/integrity/~1a.css',
  ],
  ['integrity is by path', { integrity: { '/a.css': hash } }, { integrity: { 'a.css': hash } }, '/integrity/a.css'],
];

describe('a manifest', () => {
  test.each(rules)('is held to it that %s', (_rule, valid, invalid, pointer) => {
    const faultsOf = (changes: object) => {
      const document: unknown = JSON.parse(JSON.stringify({ ...manifest, ...changes }));
      return checkManifest(document, { integrity: 'optional' }).faults;
    };
    expect(faultsOf(valid)).toEqual([]);
    const faults = faultsOf(invalid);
    expect(faults.map(pointerOf)).toEqual([pointer]);
    expect(sentenceOf(faults[0] as (typeof faults)[number])).toMatch(/^\/\S+ [a-z].+\.$/s);
  });

  test.each<[string, object | undefined, string]>([
    ['no map', undefined, '/integrity/~1a.css'],
    ['another path', { '/b.css': hash }, '/integrity/~1a.css'],
    ['too few bytes', { '/a.css': 'sha384-AbC+' }, '/integrity/~1a.css'],
  ])('that is served has the hash of each asset: %s', (_name, integrity, pointer) => {
    const served = { ...manifest, assets: { stylesheet: '/a.css' } };
    const check = (map: object | undefined) =>
      checkManifest({ ...served, ...(map && { integrity: map }) }, { integrity: 'required' });
    expect(check(integrity).faults.map(pointerOf)).toEqual([pointer]);
    expect(check({ '/a.css': hash }).faults).toEqual([]);
  });

  test.each([null, [], 'text', 1])('is an object: %j', (document) => {
    const { faults } = checkManifest(document, { integrity: 'optional' });
    expect(faults.map(sentenceOf)).toEqual(['The manifest must be an object.']);
  });
});
