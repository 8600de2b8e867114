import sanitizeHtml from 'sanitize-html';
import { safeAttribute, type Site } from './attributes.ts';
import { droppedWithContent, elements, isVendorElement, voidElements } from './elements.ts';
import { maxOpenElements, TooDeepError } from './too-deep-error.ts';

/** More than a module defines; the library looks a name up in a list. */
const maxCustomElements = 64;

/** Browsers flatten what is deeper than 512, which moves elements to where they were not. */
const maxDepth = 128;

/** Control characters. Browsers drop some of them; others make a browser guess another charset for a page that declares none. */
// oxlint-disable-next-line no-control-regex -- control characters are what the pattern removes
const controls = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]+/g;

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
  const written = sanitizeHtml(html.replace(controls, ''), {
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
  // `&#27;` writes one too.
  return written.replace(controls, '');
}

function safeAttributes(element: string, attribs: Record<string, string>, site: Site): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const [name, value] of Object.entries(attribs)) {
    const kept = safeAttribute(element, name, value, site);
    if (kept !== null) safe[name] = kept;
  }
  // Outside of forms the radios of one name are a group across the page, and a checked one would change a choice of the shop.
  const isRadio = element === 'input' && safe['type']?.toLowerCase() === 'radio';
  if (isRadio && safe['name']?.startsWith(`${site.vendor}-`) === false) delete safe['name'];
  return safe;
}
