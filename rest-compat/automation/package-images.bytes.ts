import { byteRoute } from '#rest/route.ts';
import { imageTtlSeconds } from '#src/automation/packages/node-packages.declarations.ts';
import { openImage } from '#src/automation/packages/package-images.service.ts';
import { nodePackagesTag } from './node-packages.routes.ts';

export const packageImageRoutes = [
  byteRoute({
    method: 'GET',
    // `imagesPath` of the signed links is this path below the API's first prefix.
    path: '/node-packages/images/{id}',
    name: 'getPackageImage',
    tag: nodePackagesTag,
    summary: 'An image of a node package, by the signed link that the API hands out.',
    // An <img> cannot send other credentials.
    access: { link: ({ id }, query, { automation }) => automation.imageUrls.verify(id, query) },
    answers: {
      status: 200,
      description: 'The image.',
      content: { 'image/*': { schema: { type: 'string', format: 'binary' } } },
    },
    async answer({ params }, { deps }) {
      const { contentType, size, content } = await openImage(deps, params.id);
      return {
        type: contentType,
        headers: {
          'content-length': String(size),
          'cache-control': `private, max-age=${imageTtlSeconds}`,
          'x-content-type-options': 'nosniff',
          // An SVG may contain scripts; none of them runs, and nothing is loaded.
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        },
        content,
      };
    },
  }),
];
