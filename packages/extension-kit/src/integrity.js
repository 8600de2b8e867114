import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The subresource integrity of a file's bytes. */
export const integrityOf = (content) => `sha384-${createHash('sha384').update(content).digest('base64')}`;

/** The declared assets, read from the folder of the extension: `/assets/a.css` is `assets/a.css` there. */
export async function readAssets(root, { assets = {} }) {
  const folder = root instanceof URL ? fileURLToPath(root) : root;
  const files = Object.values(assets).map(async (path) => {
    if (path.split('/').includes('..')) throw new Error(`The asset ${path} must not have ".." in its path.`);
    const content = await readFile(join(folder, path)).catch((cause) => {
      throw new Error(`The asset ${path} of the manifest is not in ${folder}.`, { cause });
    });
    return { path, content, integrity: integrityOf(content), type: findContentType(path) };
  });
  return Promise.all(files);
}

const findContentType = (path) =>
  path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
