import type { ConsoleBuild } from './console-build.ts';

/** Where the files of the console are, below the base of the page: those of a build below its id. */
export const assetsPath = 'console/assets';

/**
 * `index.html`. Every address in it is relative to `base` (`/`, or `/hub/` where PUBLIC_URL has that path), and so are those that the
 * console makes: it reads `document.baseURI`. The nonce is where libraries look for it (react-aria, and CodeMirror through the console). `scripts` are
 * further paths below the base.
 */
export function renderIndex(
  { id, page }: ConsoleBuild,
  { base, nonce, scripts = [] }: { base: string; nonce: string; scripts?: string[] },
): string {
  const href = (name: string): string => `${assetsPath}/${id}/${name}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<base href="${escapeAttribute(base)}">
<title>Causeway</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="What runs, fails, waits and arrives between a shop and its systems, and the means to repair it.">
<meta name="color-scheme" content="light dark">
<meta name="causeway-build" content="${id}">
<meta property="csp-nonce" nonce="${nonce}">
<link rel="icon" href="${page.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${href(page.style)}">
${page.imports.map((name) => `<link rel="modulepreload" href="${href(name)}">\n`).join('')}<script type="module" src="${href(page.entry)}"></script>
${scripts.map((path) => `<script type="module" src="${path}"></script>\n`).join('')}</head>
<body>
<div id="root"></div>
<noscript>The console needs JavaScript.</noscript>
</body>
</html>
`;
}

/** A path of a URL has no other characters that an attribute could mistake. */
const escapeAttribute = (path: string): string => path.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
