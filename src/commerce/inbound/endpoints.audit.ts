import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedInboundEndpoint = defineAudited({
  type: 'inbound_endpoint',
  actions: ['create', 'update', 'rotate', 'enable', 'disable', 'delete'],
});
