import type { FormMember } from '#console/ui/form/field-props.ts';
import { verifierWords as w } from './verifier.words.ts';

type Name = keyof typeof w;

export const verifierMember = (name: Name, more: Partial<FormMember> = {}): FormMember => ({
  name,
  type: 'String',
  label: w[name],
  ...more,
});
const text = verifierMember;
const choice = (name: Name, ...values: string[]): FormMember =>
  text(name, { isRequired: true, options: values.map((value) => ({ value, label: value })) });

export const verifierSecret = text('secret', { isSecret: true });
const tolerance = text('tolerance_seconds', { type: 'Int' });
const eventId = [
  text('id_header', { help: w.id_headerHelp }),
  text('id_with_header'),
  text('id_path', { help: w.id_pathHelp }),
];

/** What each verifier has to know of calls, its secret included; docs/inbound-endpoints.md explains them. */
export const verifierMembers: Readonly<Record<string, readonly FormMember[]>> = {
  PLATFORM_V0: [verifierSecret, tolerance],
  STANDARD_WEBHOOKS: [verifierSecret, tolerance, text('header_prefix')],
  HMAC: [
    verifierSecret,
    text('header', { isRequired: true, help: w.headerHelp }),
    choice('algorithm', 'sha256', 'sha512', 'sha1'),
    choice('encoding', 'hex', 'base64'),
    text('prefix', { help: w.prefixHelp }),
    { ...text('pairs'), type: 'JSON', members: [text('timestamp'), text('signature')] },
    tolerance,
    ...eventId,
  ],
  BASIC: [text('username', { isRequired: true }), text('password', { isSecret: true }), ...eventId],
  API_KEY: [text('header', { isRequired: true, help: w.keyHeaderHelp }), text('value', { isSecret: true }), ...eventId],
};

const secretNames: ReadonlySet<string> = new Set(['secret', 'password', 'value'] satisfies Name[]);

/** Whether a member of a verifier's config is kept secret. */
export const isVerifierSecret = ({ name }: FormMember): boolean => secretNames.has(name);
