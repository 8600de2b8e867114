import { expect, test } from 'vitest';
import { coreCredentialTypes } from '#src/automation/core-nodes/credential-types.ts';
import { coreNodeManifests } from '#src/automation/core-nodes/manifests.ts';
import { credentialTypeV1Schema } from '#src/automation/packages/schemas/credential-type.v1.schema.ts';
import { nodeManifestV0DraftSchema } from '#src/automation/packages/schemas/node-manifest.v0-draft.schema.ts';
import { compileSchema, isLinearPattern } from '#src/infra/json-schema/compile-schema.ts';

const checkNode = compileSchema(nodeManifestV0DraftSchema);
const checkCredentialType = compileSchema(credentialTypeV1Schema);

test.each(coreNodeManifests.map((manifest) => [manifest.slug, manifest] as const))(
  '%s is described as the published schema asks',
  (_slug, manifest) => {
    expect(checkNode(manifest)).toEqual({ ok: true, value: manifest });
  },
);

test.each(coreCredentialTypes.map((type) => [type.slug, type] as const))(
  '%s is described as the published schema asks',
  (_slug, type) => {
    expect(checkCredentialType(type)).toEqual({ ok: true, value: type });
    expect(type.fields.every(({ pattern }) => pattern === undefined || isLinearPattern(pattern))).toBe(true);
  },
);

test('package core has its documented nodes and credential types, each once', () => {
  expect(coreNodeManifests.map(({ slug }) => slug.replace('core:', ''))).toEqual([
    'set',
    'if',
    'switch',
    'merge',
    'filter',
    'for-each',
    'wait',
    'sub-workflow',
    'http-request',
    'respond',
    'state-get',
    'state-set',
    'emit-event',
    'parse',
    'render',
    'code',
    'sql',
    'fail',
    'list-files',
    'get-file',
    'put-file',
    'move-file',
    'delete-file',
    'file-link',
    'send-mail',
    'list-mails',
    'get-mail',
    'mark-mail',
    'move-mail',
  ]);
  expect(coreCredentialTypes.map(({ slug }) => slug)).toEqual([
    'core:bearer',
    'core:basic',
    'core:api-key',
    'core:oauth2',
    'core:session',
    'core:client-certificate',
    'core:postgres',
    'core:mysql',
    'core:sftp',
    'core:ftp',
    'core:s3',
    'core:smtp',
    'core:imap',
    'core:imap-oauth2',
  ]);
});
