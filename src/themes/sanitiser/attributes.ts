import { elements, everywhere, isVendorElement } from './elements.ts';
import { safeStyle, safeValue } from './styles.ts';
import { holdsContentUrl, linkTarget, ownCandidates, ownPath } from './urls.ts';

/** The vendor of the fragment, and the origin of the page it is for (`https://shop.example`). */
export interface Site {
  vendor: string;
  origin: string;
}

/** Members of a form that scripts call. A control with such a name would replace them. */
const formMembers = new Set(
  `acceptcharset action addeventlistener appendchild attributes autocomplete childnodes children classlist classname
   clonenode cookie createelement elements encoding enctype firstchild getattribute getelementbyid hasattribute
   innerhtml insertbefore lastchild length location matches method nextsibling nodename nodetype nodevalue
   novalidate ownerdocument parentelement parentnode previoussibling queryselector queryselectorall remove removeattribute
   removeattributenode removechild removeeventlistener replacechild requestsubmit reset setattribute style submit
   tagname target textcontent`.split(/\s+/),
);

const subresource = /(?:^|[-:])(?:src|poster|background|bg|image)$/;
const candidates = /(?:^|-)(?:src|image)set$/;
const navigation = new Set(['a', 'area']);
/** Attributes of SVG whose values are CSS. */
const painted = /^(?:fill|stroke|filter|mask|clip-path|cursor|marker(?:-\w+)?)$/;
const inputTypes =
  /^(?:text|search|tel|url|email|number|range|date|month|week|time|datetime-local|color|checkbox|radio|hidden|submit|reset|button)$/i;

/** What browsers do with an attribute of any element, a custom one too. */
const global = new Set(['is', 'srcdoc', 'nonce', 'autofocus', 'accesskey', 'contenteditable', 'popover', 'itemref']);

/** Attributes that name elements of the page by their ids, as `for` does: a label of an extension would press a button of the shop. */
const references = new Set(
  `form list for headers aria-activedescendant aria-controls aria-describedby aria-details aria-errormessage aria-flowto
   aria-labelledby aria-owns`.split(/\s+/),
);

const mayHave = (element: string, name: string, { vendor }: Site): boolean =>
  everywhere.has(name) ||
  /^(?:aria|data)-[a-z0-9_.-]+$/.test(name) ||
  (elements.get(element)?.has(name) ??
    (isVendorElement(element, vendor) && !global.has(name) && /^(?!on)[a-z][a-z0-9_.-]*$/.test(name)));

/** Ids are the vendor's own, so that none takes the place of an element or a global of the shop. */
const isOwnId = (value: string, vendor: string): boolean => value.startsWith(`${vendor}-`) && /^[\w.:-]+$/.test(value);

const areOwnIds = (value: string, vendor: string): boolean =>
  value
    .split(/\s+/)
    .filter((id) => id !== '')
    .every((id) => isOwnId(id, vendor));

const isOwnFragment = (value: string, vendor: string): boolean =>
  value.startsWith('#') && isOwnId(value.slice(1), vendor);

const kept = (condition: boolean, value: string): string | null => (condition ? value : null);

/** The value that the attribute of an element may have; null when it may not stand. Names are in lower case. */
export function safeAttribute(element: string, name: string, value: string, site: Site): string | null {
  const { vendor, origin } = site;
  if (!mayHave(element, name, site)) return null;
  if (name === 'style') return safeStyle(value, origin);
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
  if (name === 'href') return hrefOf(element, value, site);
  if (name === 'xlink:href') return ownPath(value, origin);
  return painted.test(name) ? safeValue(value, origin) : value;
}

/** Links lead anywhere; an icon's reference is loaded with the page. It is unknown which of the two a custom element does. */
function hrefOf(element: string, value: string, { origin }: Site): string | null {
  return navigation.has(element) || element.includes('-') ? linkTarget(value, origin) : ownPath(value, origin);
}

/** A map's name and that of a group of details are looked up in the whole page; a control's name within its form. */
function isOwnName(element: string, value: string, vendor: string): boolean {
  if (element === 'map' || element === 'details' || element === 'dialog') return isOwnId(value, vendor);
  return /^[a-z][\w.:[\]-]*$/i.test(value) && !formMembers.has(value.toLowerCase());
}
