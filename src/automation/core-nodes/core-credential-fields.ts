import { credentialFieldsOf, type CredentialRefField } from '#src/automation/node-api/credential-fields.rules.ts';
import { coreNodeManifests } from './manifests.ts';

const bySlug = new Map(coreNodeManifests.map(({ slug, config }) => [slug, credentialFieldsOf(config)]));
const none: readonly CredentialRefField[] = [];

/** The config fields of a core node that refer to credentials. */
export const coreCredentialFields = (slug: string): readonly CredentialRefField[] => bySlug.get(slug) ?? none;
