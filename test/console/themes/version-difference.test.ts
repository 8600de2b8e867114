import { describe, expect, test } from 'vitest';
import type { Version } from '#console/themes/manifest.ts';
import { countChanges, versionDifference } from '#console/themes/version-difference.ts';

const stars = {
  id: 'stars',
  island: 'Stars',
  title: 'Stars',
  enabledOn: ['product'],
  settings: {
    max: { type: 'range', label: 'Most', min: 1, max: 10, default: 5 },
    unit: { type: 'text', label: 'Unit' },
  },
};

const script = { path: '/assets/a.js', size: 65, integrity: 'sha384-a', elements: ['acme-stars'] };

const version = (name: string, manifest: object, assets: Version['assets'] = [script]): Version => ({
  id: name,
  version: name,
  manifest: {
    kind: 'theme-extension',
    version: name,
    title: 'Reviews',
    target: { theme: 'acme/starter', version: '^2.1.0' },
    blocks: [stars],
    ...manifest,
  },
  assets,
});

const first = version('1.0.0', {});

describe('the difference of two versions', () => {
  test('is nothing where only the version differs, in whatever order its members stand', () => {
    const { label, type, ...rest } = stars.settings.max;
    const again = { ...stars, settings: { ...stars.settings, max: { ...rest, type, label } } };
    expect(versionDifference(first, version('1.0.1', { blocks: [again], $schema: 'https://example.com' }))).toEqual([]);
  });

  test('names each place by its path, blocks by their id and settings by their key', () => {
    const { unit: _unit, max } = stars.settings;
    const after = version(
      '2.0.0',
      {
        title: 'All reviews',
        target: { theme: 'acme/starter', version: '^3.0.0' },
        blocks: [
          { id: 'list', island: 'List', title: 'List', enabledOn: ['page'] },
          {
            ...stars,
            javascript: true,
            enabledOn: ['product', 'page'],
            settings: { max: { ...max, default: 3 }, colour: { type: 'color', label: 'Colour' } },
          },
        ],
      },
      [
        { ...script, size: 70, integrity: 'sha384-b', elements: ['acme-hearts'] },
        { path: '/assets/a.css', size: 9, integrity: 'sha384-c', elements: [] },
      ],
    );
    const groups = versionDifference(first, after);
    const lines = groups.flatMap(({ part, block = '', kind, changes }) =>
      changes.map((change) => [block || part, kind, change.kind, change.path, change.before, change.after]),
    );
    expect(lines).toEqual([
      ['manifest', 'CHANGED', 'CHANGED', 'title', 'Reviews', 'All reviews'],
      ['manifest', 'CHANGED', 'CHANGED', 'target.version', '^2.1.0', '^3.0.0'],
      ['list', 'ADDED', 'ADDED', 'island', undefined, 'List'],
      ['list', 'ADDED', 'ADDED', 'title', undefined, 'List'],
      ['list', 'ADDED', 'ADDED', 'enabledOn', undefined, ['page']],
      ['stars', 'CHANGED', 'CHANGED', 'enabledOn', ['product'], ['product', 'page']],
      ['stars', 'CHANGED', 'CHANGED', 'settings.max.default', 5, 3],
      ['stars', 'CHANGED', 'ADDED', 'settings.colour', undefined, { type: 'color', label: 'Colour' }],
      ['stars', 'CHANGED', 'REMOVED', 'settings.unit', { type: 'text', label: 'Unit' }, undefined],
      ['stars', 'CHANGED', 'ADDED', 'javascript', undefined, true],
      ['files', 'CHANGED', 'CHANGED', '/assets/a.js.size', 65, 70],
      ['files', 'CHANGED', 'CHANGED', '/assets/a.js.integrity', 'sha384-a', 'sha384-b'],
      ['files', 'CHANGED', 'ADDED', '/assets/a.css', undefined, { size: 9, integrity: 'sha384-c' }],
      ['elements', 'CHANGED', 'ADDED', 'acme-hearts', undefined, '/assets/a.js'],
      ['elements', 'CHANGED', 'REMOVED', 'acme-stars', '/assets/a.js', undefined],
    ]);
    expect(countChanges(groups)).toEqual({ ADDED: 7, REMOVED: 2, CHANGED: 6 });
  });

  test('tells a removed block by its name, and one with a hostile name as any other', () => {
    const hostile = { ...stars, settings: { constructor: { type: 'text', label: 'C' } } };
    const groups = versionDifference(
      version('1', { blocks: [stars, { ...stars, id: 'gone' }] }),
      version('2', { blocks: [hostile] }),
    );
    expect(groups.map(({ block, kind }) => [block, kind])).toEqual([
      ['stars', 'CHANGED'],
      ['gone', 'REMOVED'],
    ]);
    expect(groups[0]?.changes.map(({ path, kind }) => [path, kind])).toEqual([
      ['settings.constructor', 'ADDED'],
      ['settings.max', 'REMOVED'],
      ['settings.unit', 'REMOVED'],
    ]);
  });

  test('without a version before is all that the version has', () => {
    const groups = versionDifference(null, first);
    expect(groups.every(({ changes }) => changes.every(({ kind }) => kind === 'ADDED'))).toBe(true);
    expect(groups.map(({ part, block }) => block ?? part)).toEqual(['manifest', 'stars', 'files', 'elements']);
  });
});
