import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitiseFragment } from '#src/themes/sanitiser/sanitise-fragment.ts';
import { sanitisedByLibrary } from './by-library.ts';
import { readable } from './corpus.ts';
import { oddFragments } from './fragments.ts';

const site = { vendor: 'acme', origin: 'https://shop.example' };

test('attacks are written like sanitize-html writes them', () => {
  for (const attack of readable) expect(sanitiseFragment(attack, site)).toBe(sanitisedByLibrary(attack, site));
});

test('so are combinations of attacks', () => {
  const attacks = fc.array(fc.constantFrom(...readable), { minLength: 2, maxLength: 4 }).map((all) => all.join(''));
  fc.assert(
    fc.property(attacks, (html) => {
      expect(sanitiseFragment(html, site)).toBe(sanitisedByLibrary(html, site));
    }),
    { numRuns: 500 },
  );
});

test('so is any odd fragment', () => {
  fc.assert(
    fc.property(oddFragments, (html) => {
      expect(sanitiseFragment(html, site)).toBe(sanitisedByLibrary(html, site));
    }),
    { numRuns: 2_500 },
  );
});

test('so are elements below those that are nested too deeply to be written', () => {
  const html = `${'<div>'.repeat(130)}<script>x</script><p>y</p>`;
  expect(sanitiseFragment(html, site)).toBe(sanitisedByLibrary(html, site));
});

test('at most 64 custom elements are kept', () => {
  const html = Array.from({ length: 65 }, (_, at) => `<acme-e${at}>x</acme-e${at}>`).join('');
  expect(sanitiseFragment(html + html, site).match(/<acme-/g)).toHaveLength(128);
});

test('a URL after many comments is removed without reading each of them', () => {
  const html = `<acme-x ping="${'<!---->'.repeat(20_000)}x:y"></acme-x>`;
  expect(sanitiseFragment(html, site)).toBe('<acme-x></acme-x>');
});
