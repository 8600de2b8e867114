import type { Handler, Parser } from 'htmlparser2';
import { isRefusedField, safeAttributes, type Site } from './attributes.ts';
import { droppedWithContent, elements, isVendorElement, svgName, voidElements } from './elements.ts';
import { maxOpenElements, TooDeepError } from './too-deep-error.ts';

/** More than a real module defines. */
const maxCustomElements = 64;

/** Browsers flatten content deeper than 512 levels, which would move elements to other places. */
const maxDepth = 128;

const dropped = new Set(droppedWithContent);
const voids = new Set(voidElements);

/** An open element; `isWritten` if its tags are written. */
interface Open {
  name: string;
  isWritten: boolean;
}

/**
 * Writes the allowed parts of a fragment while a parser reads it. Every tag is composed here and every text and value escaped, so that
 * nothing is copied verbatim. The rules are those of sanitize-html, byte for byte: test/themes/sanitiser compares both.
 */
export class FragmentWriter implements Partial<Handler> {
  written = '';
  /** True if an element was removed whose content stays. */
  isUnwrapped = false;
  readonly #html: string;
  readonly #site: Site;
  readonly #customElements = new Set<string>();
  readonly #open: Open[] = [];
  /** The number of open elements, written or not. */
  #depth = 0;
  /** The number of open elements within the one that is removed with its content, including it. */
  #droppedDepth = 0;
  #parser: Parser | undefined;
  /**
   * The position where a browser would end a removed `noscript`. A browser reads its content as text, whereas the parser could end it with
   * an outer element, so everything up to there is removed.
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

  /** Within SVG the parser returns names with their capitals; the tables are in lower case. */
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
    if (isWritten) this.written += formatTag(name, safeAttributes(name, attributes, this.#site));
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
    // Within raw text, end tags may occur for elements that were not opened here.
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

function formatTag(name: string, attributes: Record<string, string>): string {
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
