import { z } from 'zod';
import type { Extension } from '#prisma/client.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';

export const auditedExtension = defineAudited({
  type: 'extension',
  node: 'Extension',
  actions: ['register', 'publish', 'reject', 'withdraw'],
});

const extension = z.object({
  id: z.int(),
  vendor: z.string(),
  name: z.string(),
  version: z.string(),
  title: z.string(),
  type: z.enum(['public', 'private']),
  status: z.enum(['draft', 'published', 'rejected', 'withdrawn']),
});

export const extensionRegistered = defineTopic({
  name: 'extension.registered',
  when: 'when the tenant registers a version of a theme extension',
  data: extension,
});
export const extensionPublished = defineTopic({
  name: 'extension.published',
  when: "when an operator publishes a version of the tenant's extension",
  data: extension,
});
export const extensionRejected = defineTopic({
  name: 'extension.rejected',
  when: "when an operator rejects a version of the tenant's extension instead of publishing it",
  data: extension.extend({ reason: z.string() }),
});
export const extensionWithdrawn = defineTopic({
  name: 'extension.withdrawn',
  when: 'when an operator withdraws a version that the tenant owns or has installed',
  data: extension.extend({ blocked: z.boolean(), reason: z.string().nullable() }),
});

export const extensionTopics = [extensionRegistered, extensionPublished, extensionRejected, extensionWithdrawn];

type Told = Pick<Extension, 'vendor' | 'name' | 'version' | 'title' | 'type' | 'status'> & { id: bigint | number };

export const extensionData = ({ id, vendor, name, version, title, type, status }: Told): z.input<typeof extension> => ({
  id: Number(id),
  vendor,
  name,
  version,
  title,
  type,
  status,
});
