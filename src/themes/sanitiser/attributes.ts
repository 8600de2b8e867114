import { elements, everywhere, isSvg, isVendorElement, svgName } from './elements.ts';
import { safeStyle, safeValue } from './styles.ts';
import { hasOtherScheme, holdsContentUrl, linkTarget, ownCandidates, ownPath } from './urls.ts';

/** The vendor of the fragment, and the origin of the page it is for (`https://shop.example`). */
export interface Site {
  vendor: string;
  origin: string;
}

/** Members of a form that scripts use. A control with such a name would shadow them. */
const formMembers = new Set(
  `acceptcharset action addeventlistener appendchild attributes autocomplete childnodes children classlist classname
   clonenode cookie createelement elements encoding enctype firstchild getattribute getelementbyid hasattribute
   innerhtml insertbefore lastchild length location matches method nextsibling nodename nodetype nodevalue
   novalidate ownerdocument parentelement parentnode previoussibling queryselector queryselectorall remove removeattribute
   removeattributenode removechild removeeventlistener replacechild requestsubmit reset setattribute style submit
   tagname target textcontent`.split(/\s+/),
);

const subresource = /(?:^|[-:])(?:src|poster|background|bg|image)$/;
const candidates = /(?:^|-)(?:src|image|imagesrc)set$/;
const navigation = new Set(['a', 'area']);
/** Attributes with a URL on some element, also refused on custom elements. */
const links = new Set(
  `href src cite action formaction data xlink:href poster background ping longdesc usemap codebase classid archive profile
   manifest itemid dynsrc lowsrc`.split(/\s+/),
);
/** Attributes of SVG whose values are CSS. */
const painted = /^(?:fill|stroke|filter|mask|clip-path|cursor|marker(?:-\w+)?)$/;
const inputTypes =
  /^(?:text|search|tel|url|email|number|range|date|month|week|time|datetime-local|color|checkbox|radio|hidden|submit|reset|button)$/i;

/**
 * True for an input that an extension may not have: a password, a file, or an image that submits a form. Without its type it would become a
 * text field. Only the letters of the type are compared.
 */
export const isRefusedField = (element: string, { type = '' }: Readonly<Record<string, string>>): boolean =>
  element === 'input' && /^(?:password|file|image)$/i.test(type.replace(/[^a-z]+/gi, ''));

/** Attributes with an effect in browsers on any element, also a custom one. */
const global = new Set('is srcdoc nonce autofocus accesskey contenteditable popover itemref formaction'.split(' '));

/** Attributes that refer to elements of the page by id, like `for`: a label of an extension could press a button of the shop. */
const references = new Set(
  `form list for headers aria-activedescendant aria-controls aria-describedby aria-details aria-errormessage aria-flowto
   aria-labelledby aria-owns`.split(/\s+/),
);

const mayHave = (element: string, name: string, { vendor }: Site): boolean =>
  everywhere.has(name) ||
  /^(?:aria|data)-[a-z0-9_.-]+$/.test(name) ||
  (elements.get(element)?.has(name) ??
    (isVendorElement(element, vendor) && !global.has(name) && /^(?!on)[a-z][a-z0-9_.-]*$/.test(name)));

/** Ids must begin with the vendor, so that none shadows an element or a global of the shop. */
const isOwnId = (value: string, vendor: string): boolean => value.startsWith(`${vendor}-`) && /^[\w.:-]+$/.test(value);

const areOwnIds = (value: string, vendor: string): boolean =>
  value
    .split(/\s+/)
    .filter((id) => id !== '')
    .every((id) => isOwnId(id, vendor));

const isOwnFragment = (value: string, vendor: string): boolean =>
  value.startsWith('#') && isOwnId(value.slice(1), vendor);

const kept = (condition: boolean, value: string): string | null => (condition ? value : null);

/** The attributes that an element may have, with their values. */
export function safeAttributes(
  element: string,
  attributes: Readonly<Record<string, string>>,
  site: Site,
): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const kept = mayHave(element, name, site) ? sanitiseValue(element, name, value, site) : null;
    if (kept !== null && !(links.has(name) && hasOtherScheme(kept))) safe[isSvg(element) ? svgName(name) : name] = kept;
  }
  // Outside of forms the radios with one name are a group across the page, and a checked one would change a choice of the shop.
  const isRadio = element === 'input' && safe['type']?.toLowerCase() === 'radio';
  if (isRadio && safe['name']?.startsWith(`${site.vendor}-`) === false) delete safe['name'];
  return safe;
}

/** The safe value of an attribute; null if the attribute is not allowed. Names are in lower case. */
function sanitiseValue(element: string, name: string, value: string, site: Site): string | null {
  const { vendor, origin } = site;
  if (name === 'style') return safeStyle(value, origin);
  if (name === 'class' && value === '') return null;
  if (holdsContentUrl(value)) return null;
  if (name === 'id') return kept(isOwnId(value, vendor), value);
  if (name === 'name') return kept(isOwnName(element, value, vendor), value);
  if (references.has(name)) return kept(areOwnIds(value, vendor), value);
  if (name === 'usemap') return kept(isOwnFragment(value, vendor), value);
  if (name === 'target') return kept(/^_(?:blank|self)$/i.test(value), value);
  if (name === 'type' && element === 'input') return kept(inputTypes.test(value), value);
  if (name === 'action') return ownPath(value, origin);
  if (candidates.test(name)) return ownCandidates(value, origin);
  if (subresource.test(name)) return ownPath(value, origin);
  if (name === 'href') return safeHref(element, value, site);
  if (name === 'xlink:href') return ownPath(value, origin);
  return painted.test(name) ? safeValue(value, origin) : value;
}

/**
 * A link may lead anywhere; the reference of an icon is loaded with the page. For a custom element, it is unknown which of the two applies.
 */
function safeHref(element: string, value: string, { origin }: Site): string | null {
  return navigation.has(element) || element.includes('-') ? linkTarget(value, origin) : ownPath(value, origin);
}

/** The name of a map or of a group of details applies to the whole page; that of a control to its form. */
function isOwnName(element: string, value: string, vendor: string): boolean {
  if (element === 'map' || element === 'details' || element === 'dialog') return isOwnId(value, vendor);
  return /^[a-z][\w.:[\]-]*$/i.test(value) && !formMembers.has(value.toLowerCase());
}
