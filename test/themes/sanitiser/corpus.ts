import { createRequire } from 'node:module';
import { sanitiseFragment } from '#src/themes/sanitiser/sanitise-fragment.ts';
import { TooDeepError } from '#src/themes/sanitiser/too-deep-error.ts';
import { vectors } from './vectors.ts';

/** The call by which a successful attack reports itself: the page counts it. */
const reports = 'report()';

const require = createRequire(import.meta.url);
const published = require('dompurify-fixtures/test/fixtures/expect.js') as { payload: string }[];

/** DOMPurify's list, as far as it was published to npm, and our own. */
export const corpus: readonly string[] = [
  // Its scripts say alert(1) and the like, which the page counts as well.
  ...published.map(({ payload }) => payload),
  ...vectors.map((vector) => vector.replaceAll('%', reports)),
];

/** Without those that are refused as a whole. */
export const readable = corpus.filter((attack) => {
  try {
    return sanitiseFragment(attack, { vendor: 'acme', origin: 'https://shop.example' }) !== undefined;
  } catch (error) {
    if (error instanceof TooDeepError) return false;
    throw error;
  }
});
