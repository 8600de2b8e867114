const words = (text: string): string[] => text.trim().split(/\s+/);
const table = (rows: Record<string, string>): Map<string, ReadonlySet<string>> =>
  new Map(
    Object.entries(rows).flatMap(([elements, attributes]) => {
      const allowed = new Set(attributes === '' ? [] : words(attributes));
      return words(elements).map((element): [string, ReadonlySet<string>] => [element, allowed]);
    }),
  );

const html = table({
  [`address article aside footer header h1 h2 h3 h4 h5 h6 hgroup main nav search section
    div p hr pre figure figcaption dl dt dd ul center
    abbr b bdi bdo br cite code dfn em i kbd mark rp rt ruby s samp small span strong sub sup u var wbr big tt strike
    summary picture caption tbody thead tfoot tr datalist`]: 'align',
  'a area': 'href target rel hreflang type shape coords alt download',
  'blockquote q': 'cite',
  'ins del': 'cite datetime',
  time: 'datetime',
  data: 'value',
  ol: 'start reversed type',
  li: 'value',
  menu: '',
  'details dialog': 'open name',
  font: 'color size face',
  table: 'border cellpadding cellspacing width summary background',
  'col colgroup': 'span width',
  'td th': 'colspan rowspan headers scope abbr width height background align valign',
  img: 'src srcset sizes alt width height loading decoding fetchpriority usemap ismap',
  source: 'src srcset sizes media type width height',
  'audio video': 'src poster controls loop muted preload width height playsinline',
  track: 'src kind srclang label default',
  map: 'name',
  form: 'action method enctype autocomplete novalidate',
  fieldset: 'disabled name form',
  legend: '',
  label: 'for',
  input: `type name value checked disabled readonly required placeholder min max step minlength maxlength pattern size multiple
    accept autocomplete inputmode list form src alt width height`,
  button: 'type name value disabled form',
  select: 'name multiple size required disabled form autocomplete',
  'option optgroup': 'value label selected disabled',
  textarea: 'name rows cols placeholder required disabled readonly minlength maxlength wrap autocomplete form',
  output: 'name for form',
  'progress meter': 'value max min low high optimum',
});

const presentation = `fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-dasharray
  stroke-dashoffset stroke-miterlimit opacity color display visibility transform transform-origin clip-path clip-rule mask
  paint-order vector-effect shape-rendering font-size font-family font-weight font-style text-anchor dominant-baseline
  letter-spacing stop-color stop-opacity pointer-events overflow`;
const geometry = 'x y x1 x2 y1 y2 cx cy r rx ry fx fy dx dy width height d points pathlength';

/**
 * The elements of icons and charts. Excluded are those that a browser parses by other rules or evaluates later: integration points
 * (`foreignObject`, `title`, `desc`), `style`, animations, filters and their images.
 */
const svg = table({
  [`svg g defs symbol path circle ellipse line polygon polyline rect text tspan use image
    lineargradient radialgradient stop clippath mask`]: `${presentation} ${geometry} xmlns version viewbox preserveaspectratio
    href xlink:href offset gradientunits gradienttransform spreadmethod clippathunits maskunits maskcontentunits focusable
    rotate textlength lengthadjust`,
});

const capitals =
  words(`linearGradient radialGradient clipPath viewBox preserveAspectRatio gradientUnits gradientTransform
  spreadMethod clipPathUnits maskUnits maskContentUnits textLength lengthAdjust pathLength`);
const withCapitals = new Map(capitals.map((name) => [name.toLowerCase(), name]));

/**
 * The name of an SVG element or attribute in its proper case. Names are compared in lower case, as an HTML parser reads them; other parsers
 * need the capitals.
 */
export const svgName = (name: string): string => withCapitals.get(name) ?? name;

/** True for an element of SVG. */
export const isSvg = (element: string): boolean => svg.has(element);

/** The elements that a fragment may have, each with its own attributes, by their names in lower case. */
export const elements: ReadonlyMap<string, ReadonlySet<string>> = new Map([...html, ...svg]);

/** Attributes allowed on every element, in addition to `aria-*` and `data-*`. */
export const everywhere: ReadonlySet<string> = new Set(
  words(
    'class id style title lang dir role tabindex hidden inert translate itemscope itemprop itemtype itemid slot part',
  ),
);

/** Elements that have no end tag. */
export const voidElements = words('area br col hr img input source track wbr');

/**
 * Elements that are removed with their content: programs, elements that a browser parses by special rules, and those whose content has a
 * meaning only inside of them. Other elements that are not allowed are removed, but their content stays.
 */
export const droppedWithContent =
  words(`script style template noscript noembed noframes xmp plaintext listing iframe frameset object
  applet title desc metadata math foreignobject`);

/** Names with a hyphen that are not custom elements. */
const reserved = new Set(
  words(
    'annotation-xml color-profile font-face font-face-src font-face-uri font-face-format font-face-name missing-glyph',
  ),
);

/** True if an element is one of the custom elements that the vendor's module may define. */
export const isVendorElement = (element: string, vendor: string): boolean =>
  element.startsWith(`${vendor}-`) && /^[a-z][a-z0-9._-]{1,99}$/.test(element) && !reserved.has(element);
