export interface Shown {
  /** As the server has sanitised it. */
  html: string;
  /** The text of the extension's stylesheet. */
  stylesheet: string | null;
}

const base = `body { margin: 16px; font: 16px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff; }`;

/**
 * The document of a preview's frame. Its styles have the nonce of the page, whose policy the frame inherits. A style cannot end its
 * element: `<\/style` is the same text in CSS. Links lead to a new window, which the sandbox does not open.
 */
export function previewDocument(shown: Shown, nonce: string): string {
  const { html, rules } = takeStyleAttributes(shown.html);
  const styles = [base, shown.stylesheet ?? '', rules]
    .filter((css) => css !== '')
    .map((css) => `<style nonce="${nonce}">${css.replaceAll(/<\/(?=style)/gi, String.raw`<\/`)}</style>`);
  return `<!doctype html>
<html><head><meta charset="utf-8"><meta name="color-scheme" content="light"><base target="_blank">
${styles.join('\n')}
</head><body>${html}</body></html>`;
}

/** Rules with this win over the selectors of a stylesheet, as a style attribute does. */
const strong = ':not(#a):not(#b):not(#c)';

/**
 * Turns style attributes, which the page's policy forbids, into rules. The server writes each tag anew: angle brackets stand around tags
 * alone, and values have no quotes, so that a pattern finds them; a parser of the page would report each as a violation.
 */
function takeStyleAttributes(html: string): { html: string; rules: string } {
  const rules: string[] = [];
  const unstyled = html.replaceAll(/<[^>]*>/g, (tag) =>
    tag.replace(/ style="([^"]*)"/, (_attribute, declarations: string) => {
      const mark = `data-preview-style="${rules.length}"`;
      rules.push(`[${mark}]${strong} { ${unescaped(declarations)} }`);
      return ` ${mark}`;
    }),
  );
  return { html: unstyled, rules: rules.join('\n') };
}

const characters: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

const unescaped = (value: string): string =>
  value.replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => characters[entity] ?? entity);
