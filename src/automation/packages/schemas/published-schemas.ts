import { credentialTypeV1Schema } from './credential-type.v1.schema.ts';
import { nodeManifestV0DraftSchema } from './node-manifest.v0-draft.schema.ts';
import { nodePackageV1Schema } from './node-package.v1.schema.ts';
import { themeExtensionsV1Schema } from './theme-extensions.v1.schema.ts';
import { workflowBlobV1Schema } from './workflow-blob.v1.schema.ts';
import { workflowTemplateV1Schema } from './workflow-template.v1.schema.ts';

export interface PublishedSchema {
  name: string;
  version: string;
  schema: Readonly<Record<string, unknown>>;
}

/** All published schemas, served without authentication at `/api/v1/schemas/{name}/{version}`. */
export const publishedSchemas: readonly PublishedSchema[] = [
  { name: 'credential-type', version: 'v1', schema: credentialTypeV1Schema },
  { name: 'node-manifest', version: 'v0-draft', schema: nodeManifestV0DraftSchema },
  { name: 'node-package', version: 'v1', schema: nodePackageV1Schema },
  { name: 'theme-extensions', version: 'v1', schema: themeExtensionsV1Schema },
  { name: 'workflow-blob', version: 'v1', schema: workflowBlobV1Schema },
  { name: 'workflow-template', version: 'v1', schema: workflowTemplateV1Schema },
];
