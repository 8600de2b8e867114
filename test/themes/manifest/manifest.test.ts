import { describe, expect, test } from 'vitest';
import { checkManifest, toPointer, formatFault } from '#src/themes/manifest/manifest.rules.ts';
import { hash, manifest, manifestRules } from './manifest-rules.ts';
import { settingRules } from './setting-rules.ts';

describe('a manifest', () => {
  test.each([...manifestRules, ...settingRules])('must satisfy: %s', (_rule, valid, invalid, pointer) => {
    const findFaults = (changes: object) => {
      const document: unknown = JSON.parse(JSON.stringify({ ...manifest, ...changes }));
      return checkManifest(document, { integrity: 'optional' }).faults;
    };
    expect(findFaults(valid)).toEqual([]);
    const faults = findFaults(invalid);
    expect(faults.map(toPointer)).toEqual([pointer]);
    expect(formatFault(faults[0] as (typeof faults)[number])).toMatch(/^\/\S+ [a-z].+\.$/s);
  });

  test.each<[string, object | undefined, string]>([
    ['no map', undefined, '/integrity/~1a.css'],
    ['another path', { '/b.css': hash }, '/integrity/~1a.css'],
    ['too few bytes', { '/a.css': 'sha384-AbC+' }, '/integrity/~1a.css'],
  ])('that is served has the hash of each asset: %s', (_name, integrity, pointer) => {
    const served = { ...manifest, assets: { stylesheet: '/a.css' } };
    const check = (map: object | undefined) =>
      checkManifest({ ...served, ...(map && { integrity: map }) }, { integrity: 'required' });
    expect(check(integrity).faults.map(toPointer)).toEqual([pointer]);
    expect(check({ '/a.css': hash }).faults).toEqual([]);
  });

  test.each([null, [], 'text', 1])('is an object: %j', (document) => {
    const { faults } = checkManifest(document, { integrity: 'optional' });
    expect(faults.map(formatFault)).toEqual(['The manifest must be an object.']);
  });
});
