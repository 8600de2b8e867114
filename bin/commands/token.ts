import { type Command, CommandError, type CommandValues, textOption } from '#bin/command.ts';
import { signDevelopmentToken } from '#bin/development-token.ts';
import { readSettings } from '#bin/settings.ts';

const defaultOrg = 'demo-org';
const defaultTenant = 'demo';
const defaultTtlSeconds = 8 * 3600;

export const command: Command = {
  usage: '[options]',
  options: {
    sub: { type: 'string', about: 'Subject; dev-<role> by default.' },
    email: { type: 'string', about: 'E-mail address; <sub>@example.com by default.' },
    name: { type: 'string', about: 'Name; the subject by default.' },
    org: { type: 'string', about: `Organisation; ${defaultOrg} by default.` },
    role: { type: 'string', multiple: true, about: 'user, admin or operator; admin by default.' },
    tenant: {
      type: 'string',
      about: `Tenant; ${defaultTenant} by default in ${defaultOrg}. '' leaves the claim out.`,
    },
    ttl: { type: 'string', about: 'Seconds until the token expires; 8 hours by default.' },
  },
  async run(values, _positionals, io) {
    const roles = readRoles(values);
    const sub = textOption(values, 'sub') ?? `dev-${roles[0]}`;
    const org = textOption(values, 'org') ?? defaultOrg;
    const tenant = values.tenant === undefined && org === defaultOrg ? defaultTenant : textOption(values, 'tenant');
    const email = textOption(values, 'email') ?? `${sub}@example.com`;
    const request = {
      sub,
      email,
      name: textOption(values, 'name') ?? sub,
      org,
      roles,
      tenant,
      ttlSeconds: readTtl(values),
    };
    const token = await signDevelopmentToken(readSettings(io), request);
    io.out(values.json === true ? `${JSON.stringify({ token, ...request })}\n` : `${token}\n`);
    return 0;
  },
};

function readRoles({ role }: CommandValues): string[] {
  const roles = Array.isArray(role) ? role.filter((one): one is string => typeof one === 'string' && one !== '') : [];
  return roles.length > 0 ? roles : ['admin'];
}

function readTtl(values: CommandValues): number {
  const ttl = Number(textOption(values, 'ttl') ?? defaultTtlSeconds);
  if (!Number.isSafeInteger(ttl))
    throw new CommandError('--ttl takes whole seconds, for example --ttl 3600.', { exitCode: 2 });
  return ttl;
}
