import type { FormMember } from '#console/ui/form/field-props.ts';
import {
  isVerifierSecret,
  verifierMember,
  verifierMembers,
  verifierSecret as secret,
} from '#console/ui/verifier/verifier-members.ts';
import { inboundWords } from './inbound-endpoints.words.ts';

/** A preset fills in everything but what only its sender knows. */
const byPreset: Readonly<Record<string, readonly FormMember[]>> = {
  COMMERCETOOLS: [verifierMember('value', { isSecret: true })],
};

/** The members of an endpoint's config. A secret has to be entered for a new endpoint alone. */
export function membersOf({ preset, verifier = 'PLATFORM_V0' }: Readonly<Record<string, unknown>>, isNew: boolean) {
  const members =
    typeof preset === 'string' ? (byPreset[preset] ?? [secret]) : (verifierMembers[verifier as string] ?? [secret]);
  return members.map((member) =>
    isVerifierSecret(member)
      ? { ...member, ...(isNew ? { isRequired: true as const } : { help: inboundWords.keptSecret }) }
      : member,
  );
}
