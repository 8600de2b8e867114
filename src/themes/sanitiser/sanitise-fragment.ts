import sanitizeHtml from 'sanitize-html';
import { safeAttribute, type Site } from './attributes.ts';
import { droppedWithContent, elements, isVendorElement, voidElements } from './elements.ts';

/** More than a module defines; the library looks a name up in a list. */
const maxCustomElements = 64;

/** Browsers flatten what is deeper than 512, which moves elements to where they were not. */
const maxDepth = 128;

/** Parsing takes quadratic time in the depth: 256 KiB of `<b>` two seconds. Nothing that people write comes near. */
const maxOpenElements = 512;

/** The fragment is nested so deeply that reading it would hold up the process. */
export class TooDeepError extends Error {
  constructor() {
    super(`More than ${maxOpenElements} elements are open at once. Close the elements of the fragment.`);
    this.name = 'TooDeepError';
  }
}

/**
 * Hostile HTML as it may stand on a page of the shop: no program, nothing loaded from elsewhere, no id, name or custom
 * element but the vendor's own. Sanitising the result again changes nothing.
 *
 * The library writes every tag and escapes every text itself. No element is let through whose content a browser reads by other
 * rules (but for `textarea`, whose content is escaped), so the browser sees the tags that were written and no others.
 * Throws a TooDeepError.
 */
export function sanitiseFragment(html: string, site: Site): string {
  const allowedTags = [...elements.keys()];
  const mayHaveMore = allowedTags.length + maxCustomElements;
  let open = 0;
  return sanitizeHtml(html.replaceAll('\0', ''), {
    allowedTags,
    allowedAttributes: false,
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    nonTextTags: droppedWithContent,
    selfClosing: voidElements,
    nonBooleanAttributes: [],
    parseStyleAttributes: false,
    nestingLimit: maxDepth,
    onOpenTag: () => {
      open += 1;
      if (open > maxOpenElements) throw new TooDeepError();
    },
    onCloseTag: () => {
      open -= 1;
    },
    transformTags: {
      '*': (tagName, attribs) => {
        const isNew = isVendorElement(tagName, site.vendor) && !allowedTags.includes(tagName);
        if (isNew && allowedTags.length < mayHaveMore) allowedTags.push(tagName);
        return { tagName, attribs: safeAttributes(tagName, attribs, site) };
      },
    },
  });
}

function safeAttributes(element: string, attribs: Record<string, string>, site: Site): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const [name, value] of Object.entries(attribs)) {
    const kept = safeAttribute(element, name, value, site);
    if (kept !== null) safe[name] = kept;
  }
  return safe;
}
