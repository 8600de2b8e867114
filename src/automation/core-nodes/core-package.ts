import type { BuiltinPackage } from '#src/automation/node-api/builtin-package.ts';
import { coreNodes } from './core-nodes.ts';
import { coreCredentialTests } from './credential-tests.ts';
import { coreCredentialTypes } from './credential-types.ts';
import { coreNodeManifests } from './manifests.ts';

/** The first of the built-in packages. */
export const corePackage: BuiltinPackage = {
  name: 'core',
  version: '1.0.0',
  label: 'Core',
  manifests: coreNodeManifests,
  credentialTypes: coreCredentialTypes,
  credentialTests: coreCredentialTests,
  nodes: coreNodes,
};
