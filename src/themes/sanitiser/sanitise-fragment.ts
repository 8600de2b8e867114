import { Parser } from 'htmlparser2';
import type { Site } from './attributes.ts';
import { FragmentWriter } from './fragment-writer.ts';

/** Control characters. Browsers drop some of them; others make a browser guess another charset for a page that declares none. */
// oxlint-disable-next-line no-control-regex -- control characters are what the pattern removes
const controls = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]+/g;

/**
 * Makes hostile HTML safe for a page of the shop: no program, nothing loaded from elsewhere, no id, name or custom element but the vendor's
 * own. Sanitising the result again changes nothing.
 *
 * We write every tag and escape every text. No element is allowed whose content a browser parses by other rules (except `textarea`, whose
 * content is escaped), so the browser sees exactly the tags that were written. Throws a TooDeepError.
 */
export function sanitiseFragment(html: string, site: Site): string {
  const { written, isUnwrapped } = write(html, site);
  // Content of removed elements may now be in an element that it ends when it is parsed again: `<rp><x><rp>`.
  return isUnwrapped ? write(written, site).written : written;
}

function write(html: string, site: Site): Pick<FragmentWriter, 'written' | 'isUnwrapped'> {
  const read = html.replace(controls, '');
  const writer = new FragmentWriter(read, site);
  new Parser(writer).end(read);
  // `&#27;` also yields a control character.
  return { written: writer.written.replace(controls, ''), isUnwrapped: writer.isUnwrapped };
}
