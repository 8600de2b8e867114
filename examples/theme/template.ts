import { html, raw } from '@causeway/extension-kit/html';
import { type Page, pages } from './pages.ts';
import type { RenderedBlocks } from './platform.ts';

/** The HTML of a page. Values are escaped; only the blocks are markup, which the platform has sanitised. */
export const pageHtml = ({ title, text }: Page, { data, stylesheets, scripts }: RenderedBlocks): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="/theme.css" />
        ${stylesheets.map(({ href, integrity }) => html`<link rel="stylesheet" href="${href}" integrity="${integrity}" />`)}
        ${scripts.map(({ src, integrity }) => html`<script type="module" src="${src}" integrity="${integrity}"></script>`)}
      </head>
      <body>
        <nav>${[...pages].map(([path, page]) => html`<a href="${path}">${page.title}</a>`)}</nav>
        <main>
          <h1>${title}</h1>
          <p>${text}</p>
          ${data.map((block) => block.html && html`<div class="block">${raw(block.html)}</div>`)}
        </main>
      </body>
    </html>`.toString();
