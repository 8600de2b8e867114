import { listCredentialFields } from '#src/automation/node-api/credential-fields.rules.ts';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { NodeLogLine } from '#src/automation/node-api/node-runtime.ts';
import { createKnownSecrets, type KnownSecrets } from '#src/infra/logs/known-secrets.ts';
import { StoredCredentialBroker, type CredentialBroker } from './credential-broker.service.ts';
import type { CredentialDeps } from './oauth/token-refresh.service.ts';

/** The credentials of a node that is called outside a run. */
export interface TestCredentials {
  /** Takes the node's config, with its expressions evaluated. */
  open: (config: unknown) => CredentialBroker;
  /** The secrets that the node received, also by other means. */
  secrets: KnownSecrets;
  /** Removes these from its output. */
  clean: KnownSecrets['value'];
  /** The same for an object whose names are ours: one of them may also be a secret. */
  cleanMembers: <T extends object>(value: T) => T;
  cleanLine: (line: NodeLogLine) => NodeLogLine;
}

export function testCredentials(
  deps: CredentialDeps,
  tenantId: string | null,
  node: { manifest: unknown },
  mayUse: boolean,
): TestCredentials {
  const secrets = createKnownSecrets();
  const { config: fields } = node.manifest as NodeManifest;
  return {
    open: (config) =>
      mayUse && tenantId !== null
        ? new StoredCredentialBroker(deps, {
            tenantId,
            fields: listCredentialFields(fields),
            config,
            onSecret: (text) => secrets.learn(text),
          })
        : { open: refuse, field: refuse, renewIn: async () => undefined, renewedInVain: () => undefined },
    secrets,
    clean: (value) => secrets.value(value),
    cleanMembers: (value) =>
      Object.fromEntries(Object.entries(value).map(([name, member]) => [name, secrets.value(member)])) as typeof value,
    cleanLine: (line) => ({ ...line, message: secrets.text(line.message) }),
  };
}

const refuse = () =>
  Promise.reject(
    new NodeError('CREDENTIAL_FORBIDDEN', 'Only an admin of a tenant may test a node with a stored credential.'),
  );
