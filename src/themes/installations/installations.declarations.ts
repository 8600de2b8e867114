import { z } from 'zod';
import type { Extension, Installation } from '#prisma/client.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';

export const auditedInstallation = defineAudited({
  type: 'installation',
  node: 'Installation',
  actions: ['install', 'upgrade', 'disable', 'enable', 'uninstall'],
});

const installation = z.object({
  id: z.int(),
  status: z.enum(['installed', 'disabled', 'uninstalled']),
  extension: z.object({ id: z.int(), vendor: z.string(), name: z.string(), version: z.string() }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const installationCreated = defineTopic({
  name: 'installation.created',
  when: 'when an extension is installed',
  data: installation,
});
export const installationUpgraded = defineTopic({
  name: 'installation.upgraded',
  when: 'when an installation is pinned to another version',
  data: installation.extend({ previous_version: z.string() }),
});
export const installationDisabled = defineTopic({
  name: 'installation.disabled',
  when: 'when an installation is disabled',
  data: installation,
});
export const installationEnabled = defineTopic({
  name: 'installation.enabled',
  when: 'when a disabled installation is enabled again',
  data: installation,
});
export const installationRemoved = defineTopic({
  name: 'installation.removed',
  when: 'when an extension is uninstalled',
  data: installation,
});

export const installationTopics = [
  installationCreated,
  installationUpgraded,
  installationDisabled,
  installationEnabled,
  installationRemoved,
];

export const installationData = (
  { id, status, createdAt, updatedAt }: Installation,
  { id: extensionId, vendor, name, version }: Extension,
): z.input<typeof installation> => ({
  id: Number(id),
  status,
  extension: { id: Number(extensionId), vendor, name, version },
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
});
