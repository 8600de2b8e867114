import { credentialFieldsOf } from '#src/automation/node-api/credential-fields.rules.ts';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { createRedactor, redactJson } from '#src/infra/logs/redact.ts';
import { createCredentialBroker, type CredentialBroker } from './credential-broker.ts';

/** The credentials of a node that is called outside of a run. */
export interface TestCredentials {
  /** For the node's config, its expressions evaluated. */
  open: (config: unknown) => CredentialBroker;
  /** A secret that the node was handed by other means. */
  learn: (secret: string) => void;
  /** What the node answered without the secrets it was handed. */
  clean: <T>(value: T) => T;
}

export function testCredentials(
  deps: Deps,
  { tenantId }: Actor,
  node: { manifest: unknown },
  mayUse: boolean,
): TestCredentials {
  const redactor = createRedactor();
  const { config: fields } = node.manifest as NodeManifest;
  return {
    open: (config) =>
      mayUse && tenantId !== ''
        ? createCredentialBroker(deps, {
            tenantId,
            fields: credentialFieldsOf(fields),
            config,
            onSecret: (text) => redactor.add(text),
          })
        : { open: refuse, field: refuse },
    learn: (secret) => redactor.add(secret),
    clean: <T>(value: T) => redactJson(redactor, value) as T,
  };
}

const refuse = () =>
  Promise.reject(
    new NodeError('CREDENTIAL_FORBIDDEN', 'Only an admin of a tenant may test a node with a stored credential.'),
  );
