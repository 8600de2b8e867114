import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { toFileName, toMediaType } from '#src/automation/node-api/file-reference.ts';
import type { NodePorts, OpenFile } from '#src/automation/node-api/ports.ts';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress } from '#src/infra/egress/egress.ts';
import { run } from '#test/automation/core-nodes/context.ts';

/** Runs nodes with one credential, over an egress to the given hosts, and keeps files in memory. */
export function openRemote(allow: string, type: string) {
  const egress = createEgress({ allow: parseAllowList(allow) });
  const files = new Map<string, OpenFile & { bytes: Buffer }>();
  const create: NodePorts['files']['create'] = async ({ name, type: media }, content) => {
    const bytes = await buffer(content);
    const reference = {
      file: `file_${String(files.size).padStart(22, '0')}`,
      name: toFileName(name),
      type: toMediaType(media),
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
    const stream = async () => Readable.from([bytes], { objectMode: false });
    files.set(reference.file, { ...reference, bytes, stream });
    return reference;
  };
  const open: NodePorts['files']['open'] = async ({ file }) => files.get(file) as OpenFile;
  return {
    files,
    create,
    close: () => egress.close(),
    run: (
      slug: string,
      config: object,
      fields: Readonly<Record<string, string>>,
      signal: AbortSignal = new AbortController().signal,
      idempotencyKey = 'run-1/step/1',
    ) =>
      run(
        `core:${slug}`,
        { credential: 1, ...config },
        {
          ports: {
            http: egress,
            sockets: { open: (to) => egress.openSocket(to) },
            files: { open, create },
            credentials: { open: async () => ({ type, field: async (name: string) => fields[name] }) },
          },
          ctx: { signal, idempotencyKey },
        },
      ),
  };
}
