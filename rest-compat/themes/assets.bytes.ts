import { byteRoute } from '#rest/route.ts';
import { readAsset } from '#src/themes/assets/assets.service.ts';

export const assetRoutes = [
  byteRoute({
    method: 'GET',
    path: '/{vendor}/{name}/{version}/*',
    name: 'getExtensionAsset',
    tag: { name: 'Assets', description: 'Stylesheets and modules of extensions.' },
    summary: 'A file of a version that some tenant has installed, as it was registered.',
    access: { scopes: null },
    answers: { status: 200, description: 'The file.' },
    refuses: ['INTEGRITY_FAILED'],
    async answer({ params: { vendor, name, version, '*': file } }, { deps }) {
      const { contentType, content } = await readAsset(deps, { vendor, name, version, path: `/${file}` });
      return {
        type: contentType,
        headers: {
          'content-length': String(content.length),
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
          'cross-origin-resource-policy': 'same-origin',
          // A stylesheet or a module is governed by the policy of its page; opened by itself, it can do nothing.
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        },
        content,
      };
    },
  }),
];
