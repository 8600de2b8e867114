import { byteRoute } from '#rest/route.ts';
import { openDownload } from '#src/automation/files/run-files.service.ts';

export const runFileRoutes = [
  byteRoute({
    method: 'GET',
    // `fileLinks` signs this path.
    path: '/run-files/{tenant}/{file}',
    name: 'getRunFile',
    tag: { name: 'Runs', description: 'What links of the graph lead to.' },
    summary: 'A file of a run, by the signed link of `RunFile.url`.',
    access: { link: ({ tenant, file }, query, { automation }) => automation.fileLinks.verify(tenant, file, query) },
    refuses: ['NOT_FOUND'],
    answers: {
      status: 200,
      description: 'The file.',
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    },
    async answer({ params: { tenant, file } }, { deps }) {
      const { name, type, size, content } = await openDownload(deps, tenant, file);
      return {
        type,
        headers: {
          'content-length': String(size),
          // The browser must never show the file, because its type and bytes may come from strangers.
          'content-disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
          'cache-control': 'private, no-store',
        },
        content,
      };
    },
  }),
];

/** Percent-encodes what RFC 5987 does not allow, which encodeURIComponent leaves as it is. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
