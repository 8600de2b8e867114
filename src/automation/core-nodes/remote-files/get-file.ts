import { z } from 'zod';
import { defineNode } from '#src/automation/core-nodes/core-node.ts';
import { credentialId, filePath } from './config.ts';
import { remotePorts, withRemoteFiles } from './remote-files.ts';

export const getFileNode = defineNode({
  name: 'get-file',
  config: z.object({ credential: credentialId, path: filePath }),
  effect: 'effect',
  uses: [...remotePorts, 'files'],
  async execute({ credential, path }, ctx) {
    return withRemoteFiles(ctx, credential, async (files) => {
      const { name, type, size, modified_at, content } = await files.open(path);
      const file = await ctx.ports.files.create({ name, type, size }, content);
      return { outputs: { file, modified_at } };
    });
  },
});
