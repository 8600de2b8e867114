import { holdsContentUrl, ownPath } from './urls.ts';

/** Functions whose arguments cannot refer to a resource. `url` is handled separately; any other function removes its declaration. */
const functions = new Set(
  `var env calc min max clamp round abs sign counter counters
   rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark
   linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient repeating-conic-gradient
   translate translatex translatey translatez translate3d scale scalex scaley scalez scale3d rotate rotatex rotatey rotatez
   rotate3d skew skewx skewy matrix matrix3d perspective
   cubic-bezier steps linear minmax repeat fit-content inset circle ellipse polygon path rect xywh
   blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia`.split(/\s+/),
);

/** Escapes and comments could hide names from us; the other characters are not needed in any style. */
// oxlint-disable-next-line no-control-regex -- a browser ends a string at a line break
const hidden = /[\\<>{}@\u0000-\u001f\u007f]|\/\*|\*\//;
const declaration = /^\s*((?:--)?-?[a-z][a-z0-9-]*|--[\w-]+)\s*:\s*(\S[^]*?)\s*$/i;
const quoted = /"[^"]*"|'[^']*'/g;
const resource = /\burl\(\s*("[^"]*"|'[^']*'|[^"'()\s]*)\s*\)/gi;
/** Tried only where a name begins: starting within a long name, each try would read the rest of it. */
const call = /(?<![\w-])([\w-]*)\(/g;

/**
 * A comment, a string, an escape, and the text between them; an unclosed one reaches to the end. Each token begins where the one before has
 * ended, without backtracking, so the time is linear in the length.
 */
const tokens = /\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/)?|"(?:[^"\\]|\\[^])*"?|'(?:[^'\\]|\\[^])*'?|\\[^]?|;|\/|[^"'\\;/]+/g;

/** A block stays where it was placed: a fixed element could cover the page, its links and buttons. */
const mayBe = (property: string, value: string): boolean =>
  property.toLowerCase() !== 'position' || /^(?:static|relative|absolute)$/i.test(value);

const isBalanced = (value: string): boolean => {
  let open = 0;
  for (const character of value) {
    if (character === '(') open += 1;
    if (character === ')') open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
};

/**
 * The safe form of a CSS value in a style or a presentation attribute: its `url()` refer to paths of our own origin or to a fragment, and
 * it calls no function that loads anything else. Null if it is not allowed.
 */
export function safeValue(value: string, origin: string): string | null {
  if (hidden.test(value) || holdsContentUrl(value)) return null;
  let isOwn = true;
  const kept = value.replace(resource, (_all, written: string) => {
    const path = ownPath(written.replace(/^["']|["']$/g, ''), origin);
    isOwn &&= path !== null && !/["'()\s]/.test(path);
    return `url("${path}")`;
  });
  if (!isOwn) return null;
  const bare = kept.replace(resource, '').replace(quoted, '');
  if (/["';]/.test(bare) || !isBalanced(bare)) return null;
  const calls = [...bare.matchAll(call)].map(([, name = '']) => name.toLowerCase());
  return calls.every((name) => name === '' || functions.has(name)) ? kept : null;
}

/**
 * The declarations of a style without its comments. A semicolon in a string, or after a backslash, does not end one. This decides only
 * which declarations are kept and is not needed for safety: no kept declaration contains anything that could reach beyond it.
 */
function splitDeclarations(style: string): string[] {
  const found: string[] = [];
  let text = '';
  for (const [token] of style.matchAll(tokens)) {
    if (token === ';') {
      found.push(text);
      text = '';
    } else text += token.startsWith('/*') ? ' ' : token;
  }
  return [...found, text];
}

/** A `style` attribute with the allowed declarations only; null if none is left. */
export function safeStyle(style: string, origin: string): string | null {
  const line = style.replace(/\s+/g, ' ');
  const kept = splitDeclarations(line).flatMap((text) => {
    const [, property, value] = declaration.exec(text) ?? [];
    if (property === undefined || value === undefined || !mayBe(property, value)) return [];
    const safe = safeValue(value, origin);
    return safe === null ? [] : [`${property}: ${safe}`];
  });
  return kept.length === 0 ? null : kept.join('; ');
}
