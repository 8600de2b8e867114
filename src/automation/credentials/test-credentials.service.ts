import { credentialFieldsOf } from '#src/automation/node-api/credential-fields.rules.ts';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { createRedactor, redactJson } from '#src/infra/logs/redact.ts';
import { createCredentialBroker, type CredentialBroker } from './credential-broker.service.ts';
import type { CredentialDeps } from './oauth/token-refresh.service.ts';

/** The credentials of a node that is called outside a run. */
export interface TestCredentials {
  /** Takes the node's config, with its expressions evaluated. */
  open: (config: unknown) => CredentialBroker;
  /** Records a secret that the node received by other means. */
  learn: (secret: string) => void;
  /** Removes the secrets that the node received from its output. */
  clean: <T>(value: T) => T;
}

export function testCredentials(
  deps: CredentialDeps,
  tenantId: string | null,
  node: { manifest: unknown },
  mayUse: boolean,
): TestCredentials {
  const redactor = createRedactor();
  const { config: fields } = node.manifest as NodeManifest;
  return {
    open: (config) =>
      mayUse && tenantId !== null
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
