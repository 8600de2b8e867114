import { type Html, html, raw } from '@causeway/extension-kit/html';
import type { Block, Manifest, Setting } from '#src/themes/manifest/manifest.ts';
import { previewScript } from './preview-script.ts';

/** The page that shows each block beside a form of its settings. */
export const previewPage = ({ vendor, name, version, title, target, blocks }: Manifest): Html =>
  page(
    title,
    html`<h1>${title}</h1>
      <p>${vendor}/${name} ${version} for ${target.theme} ${target.version}</p>
      ${blocks.map(renderBlock)}`,
  );

/** Shown instead of the blocks while the extension has a fault. */
export const faultPage = (message: string): Html => page('Fault', html`<pre role="alert">${message}</pre>`);

const page = (title: string, content: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <title>${title}</title>
      <style>
        ${raw(styles)}
      </style>
      <body>
        ${content}
        <script>
          ${raw(previewScript)};
        </script>
      </body>
    </html>`;

const renderBlock = ({ id, title, description, enabledOn, settings = {} }: Block): Html =>
  html`<section data-block="${id}">
    <form>
      <h2>${title}</h2>
      <p>${description} For pages of type ${enabledOn.join(', ')}.</p>
      ${Object.entries(settings).map(([key, setting]) => html`<label>${setting.label} ${renderInput(key, setting)}</label>`)}
    </form>
    <iframe title="${title}"></iframe>
  </section>`;

function renderInput(key: string, setting: Setting): Html {
  switch (setting.type) {
    case 'text':
      return html`<input name="${key}" value="${setting.default}" placeholder="${setting.placeholder}" />`;
    case 'number':
    case 'range':
      return html`<input
        type="${setting.type}"
        name="${key}"
        value="${setting.default}"
        min="${setting.min}"
        max="${setting.max}"
        step="${setting.type === 'range' ? (setting.step ?? 'any') : 'any'}"
      />`;
    case 'radios':
      return html`<select name="${key}">
        ${setting.default === undefined && html`<option></option>`}
        ${Object.entries(setting.options).map(
          ([value, label]) =>
            html`<option value="${value}" ${raw(value === setting.default ? 'selected' : '')}>${label}</option>`,
        )}
      </select>`;
    case 'checkbox':
      return html`<input type="checkbox" name="${key}" ${raw(setting.default === true ? 'checked' : '')} />`;
    default:
      return html`<input type="color" name="${key}" value="${longColour(setting.default)}" />`;
  }
}

/** A colour input accepts six digits only. */
const longColour = (colour = '#000000'): string =>
  colour.length === 4 ? colour.replaceAll(/[0-9a-f]/gi, (digit) => digit + digit) : colour;

const styles = `
  body { margin: 2rem; font: 16px/1.5 system-ui, sans-serif; }
  section { display: grid; grid-template-columns: 18rem 1fr; gap: 2rem; border-top: 1px solid #ccc; padding: 1rem 0; }
  label { display: block; margin: 0.5rem 0; }
  input:not([type=checkbox]), select { display: block; width: 100%; box-sizing: border-box; }
  iframe { width: 100%; height: 100%; min-height: 16rem; border: 1px solid #ccc; }
  pre { white-space: pre-wrap; }
`;
