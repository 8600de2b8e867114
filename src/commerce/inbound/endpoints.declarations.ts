import type { SealedColumn } from '#src/infra/vault/rotation.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedInboundEndpoint = defineAudited({
  type: 'inbound_endpoint',
  node: 'InboundEndpoint',
  actions: ['create', 'update', 'rotate', 'enable', 'disable', 'delete'],
});

export const sealedEndpointSecrets: SealedColumn = {
  purpose: 'secrets',
  table: 'inbound_endpoints',
  column: 'secrets',
  versionColumn: 'key_version',
  row: 't.endpoint_id',
};
