import type { FormMember } from '#console/ui/form/field-props.ts';
import { inboundWords } from './inbound-endpoints.words.ts';
import { verifierWords as w } from './verifier.words.ts';

type Name = keyof typeof w;

const text = (name: Name, more: Partial<FormMember> = {}): FormMember => ({
  name,
  type: 'String',
  label: w[name],
  ...more,
});
const choice = (name: Name, ...values: string[]): FormMember =>
  text(name, { isRequired: true, options: values.map((value) => ({ value, label: value })) });

const secret = text('secret', { isSecret: true });
const tolerance = text('tolerance_seconds', { type: 'Int' });
const header = text('header', { isRequired: true });
const eventId = [text('id_header'), text('id_with_header'), text('id_path')];

/** What each verifier has to know; docs/inbound-endpoints.md explains them. */
const byVerifier: Readonly<Record<string, readonly FormMember[]>> = {
  PLATFORM_V0: [secret, tolerance],
  STANDARD_WEBHOOKS: [secret, tolerance, text('header_prefix')],
  HMAC: [
    secret,
    header,
    choice('algorithm', 'sha256', 'sha512', 'sha1'),
    choice('encoding', 'hex', 'base64'),
    text('prefix'),
    { ...text('pairs'), type: 'JSON', members: [text('timestamp'), text('signature')] },
    tolerance,
    ...eventId,
  ],
  BASIC: [text('username', { isRequired: true }), text('password', { isSecret: true }), ...eventId],
  API_KEY: [header, text('value', { isSecret: true }), ...eventId],
};

/** A preset fills in everything but what only its sender knows. */
const byPreset: Readonly<Record<string, readonly FormMember[]>> = {
  COMMERCETOOLS: [text('value', { isSecret: true })],
};

const secretNames: ReadonlySet<string> = new Set(['secret', 'password', 'value'] satisfies Name[]);

/** The members of an endpoint's config. A secret has to be entered for a new endpoint alone. */
export function membersOf({ preset, verifier = 'PLATFORM_V0' }: Readonly<Record<string, unknown>>, isNew: boolean) {
  const members =
    typeof preset === 'string' ? (byPreset[preset] ?? [secret]) : (byVerifier[verifier as string] ?? [secret]);
  return members.map((member) =>
    secretNames.has(member.name)
      ? { ...member, ...(isNew ? { isRequired: true as const } : { help: inboundWords.keptSecret }) }
      : member,
  );
}
