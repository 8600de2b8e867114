import fc from 'fast-check';
import semver from 'semver';
import { expect, test } from 'vitest';
import { versionOrder } from '#src/automation/node-api/version-order.rules.ts';

const number = fc.oneof(fc.nat(3), fc.nat(120), fc.nat()).map(String);
const name = fc.stringMatching(/^[0-9]{0,2}[a-cA-C-][0-9a-cA-C-]{0,3}$/);
const version = fc
  .record({
    core: fc.tuple(number, number, number),
    prerelease: fc.array(fc.oneof(number, name), { maxLength: 3 }),
    build: fc.option(name),
  })
  .map(({ core, prerelease, build }) =>
    [core.join('.'), prerelease.length > 0 ? `-${prerelease.join('.')}` : '', build === null ? '' : `+${build}`].join(
      '',
    ),
  );
/** A few versions that share beginnings, so that precedence is decided late. */
const near = fc.constantFrom(
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.0-a',
  '1.0.0-a-',
  '1.0.0-aa',
  '1.0.0-a.0',
  '1.0.0-0',
  '1.0.0-9',
  '1.0.0-10',
  '1.0.0-A',
  '1.0.1-0',
  '1.0.0-a.a',
);
const any = fc.oneof(version, near);

test('the key sorts by semantic version precedence', () => {
  fc.assert(
    fc.property(any, any, (a, b) => {
      const [keyA, keyB] = [versionOrder(a), versionOrder(b)];
      expect(keyA < keyB ? -1 : keyA > keyB ? 1 : 0, `${a} against ${b}`).toBe(semver.compare(a, b));
    }),
    { numRuns: 5_000 },
  );
});

test('the key has no character that collations sort differently', () => {
  fc.assert(fc.property(any, (value) => /^[0-9a-f]+$/.test(versionOrder(value))));
});
