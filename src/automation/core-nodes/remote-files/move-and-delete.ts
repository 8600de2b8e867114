import { z } from 'zod';
import { defineNode } from '#src/automation/core-nodes/core-node.ts';
import { credentialId, filePath } from './config.ts';
import { remotePorts, withRemoteFiles } from './remote-files.ts';

export const moveFileNode = defineNode({
  name: 'move-file',
  config: z.object({ credential: credentialId, path: filePath, to: filePath }),
  effect: 'effect',
  uses: remotePorts,
  async execute({ credential, path, to }, ctx) {
    if (path !== to) await withRemoteFiles(ctx, credential, (files) => files.move(path, to));
    return { outputs: { path: to } };
  },
});

export const deleteFileNode = defineNode({
  name: 'delete-file',
  config: z.object({ credential: credentialId, path: filePath }),
  effect: 'effect',
  uses: remotePorts,
  async execute({ credential, path }, ctx) {
    await withRemoteFiles(ctx, credential, (files) => files.remove(path));
    return { outputs: {} };
  },
});
