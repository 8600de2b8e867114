import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { defineNode } from '#src/automation/core-nodes/core-node.ts';
import { isFileReference, type FileReference } from '#src/automation/node-api/file-reference.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { OpenFile } from '#src/automation/node-api/ports.ts';
import { anyPath, credentialId } from './config.ts';
import { type NewContent, remotePorts, withRemoteFiles } from './remote-files.ts';

const content = z.union(
  [z.string(), z.custom<Pick<FileReference, 'file'>>(isFileReference)],
  'must be the file of a step, such as {{ nodes.get.outputs.file }}, or text.',
);

export const putFileNode = defineNode({
  name: 'put-file',
  config: z.object({ credential: credentialId, path: anyPath, content }),
  effect: 'effect',
  uses: [...remotePorts, 'files'],
  async execute({ credential, path, content }, ctx) {
    const source = typeof content === 'string' ? toContent(content) : await ctx.ports.files.open(content);
    const to = path.endsWith('/') ? path + nameIn(source) : path;
    await withRemoteFiles(ctx, credential, (files) => files.put(to, source, markFor(ctx.idempotencyKey)));
    return { outputs: { path: to, size: source.size } };
  },
});

/** Equal for every attempt of a step, so that another attempt overwrites what the last one left. */
const markFor = (idempotencyKey: string): string =>
  createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 8);

function toContent(text: string): NewContent {
  const bytes = Buffer.from(text);
  return {
    size: bytes.length,
    type: 'text/plain; charset=utf-8',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    stream: async () => Readable.from([bytes], { objectMode: false }),
  };
}

function nameIn(source: NewContent | OpenFile): string {
  if ('name' in source) return source.name;
  throw new NodeError('INVALID_CONFIG', 'config.path: must end with the name of the file, because text has none.');
}
