import { CommandError } from '#bin/command.ts';
import { demoTheme } from '#src/demo/demo-theme.ts';
import type { DemoClient } from './demo-client.ts';

interface Extension {
  id: string;
  vendor: string;
  name: string;
  status: 'DRAFT' | 'PUBLISHED' | 'WITHDRAWN';
  requestSecret: string;
}

interface Refusal {
  code?: string;
  message?: string;
  fields?: { messages: string[] }[];
}

/** The name of the theme's API key. */
const keyName = 'Demo theme';
const { theme, version, title } = demoTheme;

/**
 * Registers and installs the theme, and the extension that runs at `extensionUrl`, in the tenant of the client, who is an admin and
 * operator. Existing ones are kept. Replaces the theme's API key of an earlier call.
 */
export async function installDemoTheme(
  client: DemoClient,
  extensionUrl: string,
): Promise<{ extensionSecret: string; key: string }> {
  await mutate(client, 'registerTheme', { theme, version, title }, 'theme { id }', ['CONFLICT']);
  await mutate(client, 'installTheme', { theme, version }, 'themeInstallation { id }');
  const { extension } = await mutate<{ extension: Extension }>(
    client,
    'registerExtension',
    { url: extensionUrl },
    'extension { id vendor name status requestSecret }',
  );
  if (extension.status === 'DRAFT') await mutate(client, 'publishExtension', { id: extension.id }, 'extension { id }');
  await install(client, extension);
  return { extensionSecret: extension.requestSecret, key: await renewKey(client) };
}

/** Pins the version, whatever was installed of the extension before. */
async function install(client: DemoClient, { id, vendor, name }: Extension): Promise<void> {
  const { installations } = await client.query<{ installations: { edges: { node: Installed }[] } }>(
    `{ installations(first: 100, status: [INSTALLED, DISABLED]) { edges { node { id status extension { vendor name } } } } }`,
  );
  const nodes = installations.edges.map(({ node }) => node);
  const present = nodes.find(({ extension }) => extension.vendor === vendor && extension.name === name);
  const selection = 'installation { id }';
  if (!present) return void (await mutate(client, 'installExtension', { extensionId: id }, selection));
  await mutate(client, 'upgradeInstallation', { id: present.id, extensionId: id }, selection);
  if (present.status === 'DISABLED') await mutate(client, 'enableInstallation', { id: present.id }, selection);
}

interface Installed {
  id: string;
  status: string;
  extension: { vendor: string; name: string };
}

/** A key is shown once, so each call creates one and revokes that of the previous call. */
async function renewKey(client: DemoClient): Promise<string> {
  const { apiKeys } = await client.query<{
    apiKeys: { edges: { node: { id: string; name: string; revokedAt: string | null } }[] };
  }>('{ apiKeys(first: 100) { edges { node { id name revokedAt } } } }');
  const earlier = apiKeys.edges.map(({ node }) => node).filter((key) => key.name === keyName && key.revokedAt === null);
  for (const { id } of earlier) await mutate(client, 'revokeApiKey', { id }, 'apiKey { id }');
  const given = { name: keyName, scopes: ['theme:read'] };
  const { secret } = await mutate<{ secret: string }>(client, 'createApiKey', given, 'secret');
  return secret;
}

/** Runs a mutation. An error ends the command, unless its code is `accepted`. */
async function mutate<Payload>(
  client: DemoClient,
  field: string,
  input: object,
  selection: string,
  accepted: readonly string[] = [],
): Promise<Payload> {
  const name = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const document = `mutation ($input: ${name}Input!) { ${field}(input: $input) {
    ... on ${name}Payload { ${selection} }
    ... on Error { code message }
    ... on ValidationError { fields { messages } }
  } }`;
  const data = await client.query<Record<string, Payload & Refusal>>(document, { input });
  const { code, message = '', fields = [] } = data[field] as Refusal;
  if (code !== undefined && !accepted.includes(code)) {
    const faults = fields.flatMap(({ messages }) => messages).map((fault) => `  ${fault}`);
    throw new CommandError([`${field}: ${message}`, ...faults].join('\n'));
  }
  return data[field] as Payload;
}
