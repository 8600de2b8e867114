import { z } from 'zod';
import { defineNode } from '#src/automation/core-nodes/core-node.ts';
import { credentialId, directoryPath } from './config.ts';
import { remotePorts, withRemoteFiles } from './remote-files.ts';

const namePart = z.string().max(255).nullish();

export const listFilesNode = defineNode({
  name: 'list-files',
  config: z.object({
    credential: credentialId,
    path: directoryPath.nullish(),
    prefix: namePart,
    after: namePart,
    limit: z.int().min(1).max(10_000).default(1_000),
  }),
  effect: 'effect',
  uses: remotePorts,
  async execute({ credential, path, prefix, after, limit }, ctx) {
    const listing = { directory: path ?? '', prefix: prefix ?? '', after: after ?? '', limit };
    return { outputs: { ...(await withRemoteFiles(ctx, credential, (files) => files.list(listing))) } };
  },
});
