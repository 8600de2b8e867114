import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { themeExtensionsV1Schema } from '#src/themes/manifest/theme-extensions.v1.schema.ts';

const fits = new Ajv2020({ strict: false }).compile(themeExtensionsV1Schema);

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
const withSetting = (setting: object) => ({ ...manifest, blocks: [{ ...block, settings: { unitName: setting } }] });

test.each([
  ['the least there is', manifest],
  [
    'all there is',
    {
      ...manifest,
      $schema: 'https://example.com/schema.json',
      type: 'public',
      description: '',
      icon: 'icon.svg',
      assets: { stylesheet: '/a/b.css', javascript: '/a/b.mjs' },
      integrity: { '/a/b.css': 'sha384-AbC+/=' },
    },
  ],
  ['a text', withSetting({ type: 'text', label: 'Unit', default: 'cm', placeholder: 'cm' })],
  ['a number', withSetting({ type: 'number', label: 'Unit', default: 1, min: 0, max: 2 })],
  ['radios', withSetting({ type: 'radios', label: 'Unit', options: { cm: 'Centimetres' }, default: 'cm' })],
  ['a checkbox', withSetting({ type: 'checkbox', label: 'Unit', default: true })],
  ['a colour', withSetting({ type: 'color', label: 'Unit', default: '#0aF' })],
  ['a range', withSetting({ type: 'range', label: 'Unit', min: 0, max: 9, step: 0.5 })],
])('a manifest with %s fits', (_name, document) => {
  expect([fits(document), fits.errors]).toEqual([true, null]);
});

const { kind: _kind, ...withoutKind } = manifest;
test.each([
  ['without its kind', withoutKind],
  ['with a field nobody knows', { ...manifest, extra: 1 }],
  ['of a vendor that is no tag prefix', { ...manifest, vendor: 'acme--labs' }],
  ['of a vendor too short', { ...manifest, vendor: 'a' }],
  ['of a vendor too long', { ...manifest, vendor: 'a'.repeat(41) }],
  ['of an invalid version', { ...manifest, version: '1.0' }],
  ['of a version too long', { ...manifest, version: `1.0.0-${'a'.repeat(30)}` }],
  ['of another type', { ...manifest, type: 'secret' }],
  ['for a theme without a vendor', { ...manifest, target: { theme: '/starter', version: '1' } }],
  ['for no version of the theme', { ...manifest, target: { theme: 'acme/starter', version: '' } }],
  ['without blocks', { ...manifest, blocks: [] }],
  ['with a block of two underscores', { ...manifest, blocks: [{ ...block, id: 'size__guide' }] }],
  ['with an island in lower case', { ...manifest, blocks: [{ ...block, island: 'sizeGuide' }] }],
  ['with a block for no page', { ...manifest, blocks: [{ ...block, enabledOn: [] }] }],
  ['with a block for a page twice', { ...manifest, blocks: [{ ...block, enabledOn: ['page', 'page'] }] }],
  ['with a stylesheet elsewhere', { ...manifest, assets: { stylesheet: 'https://example.com/a.css' } }],
  ['with a script that is not JavaScript', { ...manifest, assets: { javascript: '/a.ts' } }],
  ['with another hash', { ...manifest, integrity: { '/a.css': 'sha256-AbC' } }],
  ['with a setting of no type', withSetting({ label: 'Unit' })],
  ['with a setting without a label', withSetting({ type: 'text' })],
  ['with what another setting takes', withSetting({ type: 'text', label: 'Unit', min: 1 })],
  ['with radios of nothing', withSetting({ type: 'radios', label: 'Unit', options: {} })],
  ['with a colour by name', withSetting({ type: 'color', label: 'Unit', default: 'red' })],
  ['with a range without an end', withSetting({ type: 'range', label: 'Unit', min: 0 })],
  ['with a range that does not step', withSetting({ type: 'range', label: 'Unit', min: 0, max: 1, step: 0 })],
])('a manifest %s does not fit', (_name, document) => {
  expect(fits(document)).toBe(false);
});
