import type { PublishedSchema } from '#src/infra/json-schema/published-schema.ts';
import { credentialTypeV1Schema } from './credential-type.v1.schema.ts';
import { incomingMessageV1Schema } from './incoming-message.v1.schema.ts';
import { nodeManifestV0DraftSchema } from './node-manifest.v0-draft.schema.ts';
import { nodePackageV1Schema } from './node-package.v1.schema.ts';
import { workflowBlobV1Schema } from './workflow-blob.v1.schema.ts';
import { workflowTemplateV1Schema } from './workflow-template.v1.schema.ts';

/** The schemas of packages, their members and workflows. */
export const packageSchemas: readonly PublishedSchema[] = [
  { name: 'credential-type', version: 'v1', schema: credentialTypeV1Schema },
  { name: 'incoming-message', version: 'v1', schema: incomingMessageV1Schema },
  { name: 'node-manifest', version: 'v0-draft', schema: nodeManifestV0DraftSchema },
  { name: 'node-package', version: 'v1', schema: nodePackageV1Schema },
  { name: 'workflow-blob', version: 'v1', schema: workflowBlobV1Schema },
  { name: 'workflow-template', version: 'v1', schema: workflowTemplateV1Schema },
];
