import type { FormMember } from '#console/ui/form/field-props.ts';
import { isVerifierSecret, verifierMembers } from '#console/ui/verifier/verifier-members.ts';
import { enumWord } from '#console/words/enums.ts';
import { pollMembers } from './poll-members.ts';
import { triggerConfigWords as w } from './trigger-config.words.ts';

type Values = Readonly<Record<string, unknown>>;

/** The members of a trigger's config by its type; those of a webhook depend on how its caller proves itself. */
const members: Readonly<Record<string, (config: Values) => readonly FormMember[]>> = {
  MANUAL: () => [],
  WEBHOOK: (config) => [
    {
      name: 'respond',
      type: 'String',
      label: w.respond,
      help: w.respondHelp,
      options: [
        { value: 'immediate', label: w.immediate },
        { value: 'on_finish', label: w.onFinish },
      ],
    },
    ...(config['respond'] === 'on_finish'
      ? [{ name: 'respond_timeout_ms', type: 'Int', label: w.respondTimeout }]
      : []),
    { name: 'verify', type: 'JSON', label: w.verify, members: verifyMembers(asValues(config['verify'])) },
    { name: 'message', type: 'JSON', label: w.message, members: messageMembers(asValues(config['message'])) },
  ],
  SCHEDULE: ({ timezone, misfire }) => [
    { name: 'cron', type: 'String', label: w.cron, help: w.cronHelp, isRequired: true },
    {
      name: 'timezone',
      type: 'String',
      label: w.timezone,
      help: w.timezoneHelp,
      options: zoneOptions(timezone),
    },
    ...(misfire === undefined ? [] : [{ name: 'misfire', type: 'String', label: w.misfire, options: misfires }]),
  ],
  POLL: pollMembers,
  EVENT: ({ topics }) => [
    Array.isArray(topics)
      ? { name: 'topics', type: 'String', isList: true, label: w.topics, help: w.topicHelp, isRequired: true }
      : { name: 'topic', type: 'String', label: w.topic, help: w.topicHelp, isRequired: true },
    { name: 'filter', type: 'String', label: w.filter, help: w.filterHelp },
  ],
};

/** The zones that the browser knows, and the one that is set. */
function zoneOptions(given: unknown): { value: string; label: string }[] {
  const zones = new Set([
    'UTC',
    ...Intl.supportedValuesOf('timeZone'),
    ...(textOf(given) === '' ? [] : [textOf(given)]),
  ]);
  return [...zones].map((zone) => ({ value: zone, label: zone }));
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const misfires = ['skip', 'fire_once', 'catch_up'].map((value) => ({ value, label: enumWord(value.toUpperCase()) }));

/** Without a verifier a token is needed; with one, its secret is one of the tenant, so the config itself holds none. */
const verifyMembers = ({ verifier, secret_ref: secret }: Values): FormMember[] => [
  {
    name: 'verifier',
    type: 'String',
    label: w.verifier,
    help: w.verifierHelp,
    options: Object.keys(verifierMembers).map((name) => ({ value: name.toLowerCase(), label: enumWord(name) })),
  },
  ...(typeof verifier === 'string'
    ? [
        {
          name: 'secret_ref',
          // Two are valid while one is replaced.
          type: Array.isArray(secret) ? 'JSON' : 'String',
          label: w.secretRef,
          help: w.secretRefHelp,
          isRequired: true as const,
          isSecret: false,
        },
        {
          name: 'config',
          type: 'JSON',
          label: w.verifierConfig,
          members: (verifierMembers[verifier.toUpperCase()] ?? []).filter((member) => !isVerifierSecret(member)),
        },
      ]
    : []),
];

/** Shown only if a message is chosen, because otherwise every body fits. */
const messageMembers = ({ slug }: Values): FormMember[] => [
  { name: 'slug', type: 'String', label: w.messageSlug, help: w.messageHelp },
  ...(textOf(slug) === ''
    ? []
    : [
        {
          name: 'on_mismatch',
          type: 'String',
          label: w.onMismatch,
          options: [
            { value: 'accept', label: w.acceptMismatch },
            { value: 'refuse', label: w.refuseMismatch },
          ],
        },
      ]),
];

const asValues = (value: unknown): Values => (typeof value === 'object' && value !== null ? (value as Values) : {});

/** How the config of a trigger of this type is asked for, with what is entered of it so far. */
export const askedOfTrigger = (type: unknown, config: unknown): Readonly<Record<string, Partial<FormMember>>> => ({
  config: { label: w.config, members: members[String(type)]?.(asValues(config)) ?? [] },
});
