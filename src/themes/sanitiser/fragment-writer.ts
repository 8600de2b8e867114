import type { Handler, Parser } from 'htmlparser2';
import { isRefusedField, safeAttributes, type Site } from './attributes.ts';
import { droppedWithContent, elements, isVendorElement, svgName, voidElements } from './elements.ts';
import { maxOpenElements, TooDeepError } from './too-deep-error.ts';

/** More than a module defines. */
const maxCustomElements = 64;

/** Browsers flatten what is deeper than 512, which moves elements to where they were not. */
const maxDepth = 128;

const dropped = new Set(droppedWithContent);
const voids = new Set(voidElements);

/** An element that is open, and whether its tags are written. */
interface Open {
  name: string;
  isWritten: boolean;
}

/**
 * Writes what may stand of a fragment while a parser reads it. Every tag is put together here and every text and value escaped, so that
 * nothing is copied as it was sent. The rules are those of sanitize-html, byte for byte: test/themes/sanitiser compares both.
 */
export class FragmentWriter implements Partial<Handler> {
  written = '';
  /** Whether an element was dropped whose content stays. */
  isUnwrapped = false;
  readonly #html: string;
  readonly #site: Site;
  readonly #customElements = new Set<string>();
  readonly #open: Open[] = [];
  /** How many elements are open, whether they are written or not. */
  #depth = 0;
  /** How many are open from the one on that goes with its content. */
  #droppedDepth = 0;
  #parser: Parser | undefined;
  /**
   * Where a browser ends the `noscript` that is left out. It reads the content as text, whereas the parser ends it with an element
   * around it, so that all goes until there.
   */
  #rawEnd: number | null = null;
  #isRaw = false;

  constructor(html: string, site: Site) {
    this.#html = html;
    this.#site = site;
  }

  onparserinit(parser: Parser): void {
    this.#parser = parser;
  }

  /** Within SVG the parser gives names with their capitals; lists hold them in lower case. */
  onopentag(given: string, attributes: Record<string, string>): void {
    const name = given.toLowerCase();
    this.#depth += 1;
    if (this.#depth > maxOpenElements) throw new TooDeepError();
    if (this.#isInRaw()) return;
    if (this.#droppedDepth > 0) {
      this.#droppedDepth += 1;
      return;
    }
    const isWritten = this.#mayStand(name) && !isRefusedField(name, attributes) && this.#open.length < maxDepth;
    this.#open.push({ name, isWritten });
    if (isWritten) this.written += tagOf(name, safeAttributes(name, attributes, this.#site));
    else if (dropped.has(name)) this.#drop(name);
    else this.isUnwrapped = true;
  }

  ontext(text: string): void {
    if (!this.#isInRaw() && this.#droppedDepth === 0) this.written += escapeText(text);
  }

  onclosetag(given: string): void {
    const name = given.toLowerCase();
    this.#depth -= 1;
    if (!this.#isInRaw() && this.#droppedDepth > 0) {
      this.#droppedDepth -= 1;
      if (this.#droppedDepth > 0) return;
      this.#isRaw = this.#rawEnd !== null;
    }
    const last = this.#open.at(-1);
    // Within raw text, elements end that were not opened here.
    if (last?.name !== name) return;
    this.#open.pop();
    if (last.isWritten && !voids.has(name)) this.written += `</${svgName(name)}>`;
  }

  #mayStand(name: string): boolean {
    if (elements.has(name) || this.#customElements.has(name)) return true;
    const isNew = isVendorElement(name, this.#site.vendor) && this.#customElements.size < maxCustomElements;
    if (isNew) this.#customElements.add(name);
    return isNew;
  }

  #drop(name: string): void {
    this.#droppedDepth = 1;
    if (name !== 'noscript') return;
    const end = /<\/noscript[\t\n\f\r />]/gi;
    end.lastIndex = (this.#parser?.endIndex ?? 0) + 1;
    this.#rawEnd = end.exec(this.#html)?.index ?? Infinity;
  }

  #isInRaw(): boolean {
    if (this.#rawEnd !== null && (this.#parser?.startIndex ?? 0) >= this.#rawEnd) {
      this.#rawEnd = null;
      this.#isRaw = false;
    }
    return this.#isRaw;
  }
}

function tagOf(name: string, attributes: Record<string, string>): string {
  let tag = `<${svgName(name)}`;
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== '') tag += ` ${attribute}="${escapeValue(value)}"`;
    else tag += attribute === 'alt' ? ' alt=""' : ` ${attribute}`;
  }
  return voids.has(name) ? `${tag} />` : `${tag}>`;
}

const escapeText = (text: string): string =>
  /[&<>]/.test(text) ? text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;') : text;

const escapeValue = (value: string): string => escapeText(value).replace(/"/g, '&quot;');
