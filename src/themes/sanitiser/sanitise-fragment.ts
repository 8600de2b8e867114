import { Parser } from 'htmlparser2';
import type { Site } from './attributes.ts';
import { FragmentWriter } from './fragment-writer.ts';

/** Control characters. Browsers drop some of them; others make a browser guess another charset for a page that declares none. */
// oxlint-disable-next-line no-control-regex -- control characters are what the pattern removes
const controls = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]+/g;

/**
 * Hostile HTML as it may stand on a page of the shop: no program, nothing loaded from elsewhere, no id, name or custom
 * element but the vendor's own. Sanitising the result again changes nothing.
 *
 * Every tag is written and every text escaped by us. No element is let through whose content a browser reads by other
 * rules (but for `textarea`, whose content is escaped), so the browser sees the tags that were written and no others.
 * Throws a TooDeepError.
 */
export function sanitiseFragment(html: string, site: Site): string {
  const { written, isUnwrapped } = write(html, site);
  // What stood in elements that were dropped may now stand in one that it ends when it is read again: `<rp><x><rp>`.
  return isUnwrapped ? write(written, site).written : written;
}

function write(html: string, site: Site): Pick<FragmentWriter, 'written' | 'isUnwrapped'> {
  const read = html.replace(controls, '');
  const writer = new FragmentWriter(read, site);
  new Parser(writer).end(read);
  // `&#27;` writes one too.
  return { written: writer.written.replace(controls, ''), isUnwrapped: writer.isUnwrapped };
}
