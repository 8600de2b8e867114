import sanitizeHtml from 'sanitize-html';
import { isRefusedField, safeAttributes, type Site } from '#src/themes/sanitiser/attributes.ts';
import {
  droppedWithContent,
  elements,
  isVendorElement,
  svgName,
  voidElements,
} from '#src/themes/sanitiser/elements.ts';

/**
 * A fragment as sanitize-html writes it by the same lists of elements and rules for attributes, with its own checks of URLs after them.
 * Read twice, since what it drops may change what is read in what is left.
 */
export const sanitisedByLibrary = (html: string, site: Site): string => written(written(html, site), site);

function written(html: string, site: Site): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what the pattern removes
  const controls = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]+/g;
  // Within SVG its parser gives some names with capitals.
  const allowedTags = [...elements.keys(), ...[...elements.keys()].map(svgName)];
  const text = sanitizeHtml(html.replace(controls, ''), {
    allowedTags,
    allowedAttributes: false,
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    nonTextTags: [...droppedWithContent, 'foreignObject'],
    selfClosing: voidElements,
    nonBooleanAttributes: [],
    parseStyleAttributes: false,
    nestingLimit: 128,
    exclusiveFilter: ({ tag, attribs }) => isRefusedField(tag, attribs),
    transformTags: {
      '*': (tagName, attribs) => {
        // `exclusiveFilter` sees what is returned here.
        if (isRefusedField(tagName, attribs)) return { tagName, attribs: { type: 'password' } };
        if (isVendorElement(tagName, site.vendor)) allowedTags.push(tagName);
        return { tagName, attribs: safeAttributes(tagName.toLowerCase(), attribs, site) };
      },
    },
  });
  // The library writes the names of elements as it read them. No text and no value holds a bracket.
  return text.replace(controls, '').replace(/(?<=<\/?)[a-z]+/g, svgName);
}
