import { z } from 'zod';
import { defineNode } from '#src/automation/core-nodes/core-node.ts';
import { credentialId, filePath } from './config.ts';

const week = 7 * 24 * 3_600;

export const fileLinkNode = defineNode({
  name: 'file-link',
  config: z.object({
    credential: credentialId,
    path: filePath,
    seconds: z.int().min(1).max(week).default(3_600),
  }),
  effect: 'effect',
  uses: ['credentials', 'http'],
  async execute({ credential: id, path, seconds }, { ports }) {
    const credential = await ports.credentials.open(String(id));
    // Loaded with the first use, because most workers need none.
    const { createLink } = await import('./s3-link.ts');
    const expiresAt = new Date(Date.now() + seconds * 1_000);
    return {
      outputs: { url: await createLink(credential, ports.http, path, seconds), expires_at: expiresAt.toISOString() },
    };
  },
});
