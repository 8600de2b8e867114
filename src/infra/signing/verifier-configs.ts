import { z } from 'zod';
import { messageSecretFault } from './webhook-signatures.ts';

const secret = z.string().min(1).max(1_024);
const headerName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'Name a header, e.g. X-Signature.');
const tolerance = z.int().min(1).max(86_400);

/** Where a sender that does not follow a standard puts the id of its event. */
const eventId = {
  id_header: headerName.optional(),
  /** Another header that tells events of one id apart, such as their topic. */
  id_with_header: headerName.optional(),
  /** A member of the JSON body, by its dotted path: `id`, `event.id`. */
  id_path: z.string().min(1).max(191).optional(),
};

/** A key that could never verify a call is refused when it is saved, not at each call. */
const messageSecret = secret.superRefine((text, context) => {
  const message = messageSecretFault(text);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

const messageConfig = z.object({ secret, tolerance_seconds: tolerance.default(300) });

/** The settings of each verifier. */
export const verifierConfigs = {
  /** The scheme in which this system signs what it sends. */
  platform_v0: messageConfig,
  standard_webhooks: messageConfig.extend({
    secret: messageSecret,
    /** The header prefix that replaces `webhook`: Svix sends `svix-id`, `svix-timestamp` and `svix-signature`. */
    header_prefix: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,50}$/, 'Write what stands before -id, -timestamp and -signature, such as svix.')
      .optional(),
  }),
  hmac: z.object({
    secret,
    header: headerName,
    algorithm: z.enum(['sha1', 'sha256', 'sha512']),
    encoding: z.enum(['hex', 'base64']),
    /** The text before the signature, e.g. `sha256=`. */
    prefix: z.string().min(1).max(100).optional(),
    /**
     * For a header of `name=value` pairs, as Stripe's `t=1700000000,v1=5257a8...`: the names of the Unix time and of the
     * signatures. `<time>.<body>` is signed then.
     */
    pairs: z.object({ timestamp: z.string().min(1).max(50), signature: z.string().min(1).max(50) }).optional(),
    /** Only with `pairs`, because nothing else carries a time. */
    tolerance_seconds: tolerance.optional(),
    /**
     * The member of a form, with a number, that makes up an unsigned test call: `webhook_id=7`. The call is answered 200 and has no effect.
     * Only inbound endpoints read it.
     */
    ping_member: z
      .string()
      .regex(/^\w{1,50}$/, 'Name the member of the form, such as webhook_id.')
      .optional(),
    ...eventId,
  }),
  basic: z.object({ username: z.string().min(1).max(255), password: secret, ...eventId }),
  api_key: z.object({ header: headerName, value: secret, ...eventId }),
} as const;

export type Verifier = keyof typeof verifierConfigs;
export const verifiers = Object.keys(verifierConfigs) as [Verifier, ...Verifier[]];

/** The member of each config that is kept secret. */
export const secretMembers = {
  platform_v0: 'secret',
  standard_webhooks: 'secret',
  hmac: 'secret',
  basic: 'password',
  api_key: 'value',
} as const satisfies Record<Verifier, string>;

/** The schemas without the secrets, for configs whose secrets are kept elsewhere. */
export const publicConfigs = Object.fromEntries(
  verifiers.map((name) => [
    name,
    (verifierConfigs[name] as z.ZodObject<z.ZodRawShape>).omit({ [secretMembers[name]]: true } as never),
  ]),
) as Record<Verifier, z.ZodObject>;

/** A config without its secret, as it is stored and shown. */
export type PublicConfig<Name extends Verifier = Verifier> = Omit<
  z.output<(typeof verifierConfigs)[Name]>,
  'secret' | 'password' | 'value'
>;
