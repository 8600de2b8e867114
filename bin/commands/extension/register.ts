import { calledAs, CommandError, textOption, type Command } from '#bin/command.ts';
import { postToServer, serverOptions, readToken } from '#bin/reach-server.ts';

export const command: Command = {
  usage: '<address> --tenant <id> [options]',
  options: {
    tenant: { type: 'string', about: 'The tenant that owns it; else CAUSEWAY_TENANT.' },
    url: serverOptions.url,
    token: { type: 'string', about: 'Token with the role admin; else CAUSEWAY_TOKEN.' },
  },
  async run(values, [address], io) {
    const tenant = textOption(values, 'tenant') ?? io.env['CAUSEWAY_TENANT'];
    const token = readToken(values, io);
    if (address === undefined)
      throw new CommandError(
        `Name the address where the extension runs: ${calledAs(io)} extension register https://reviews.example.com`,
        { exitCode: 2 },
      );
    if (tenant === undefined) throw new CommandError('Name the tenant with --tenant.', { exitCode: 2 });
    if (token === undefined) throw new CommandError('Give a token with CAUSEWAY_TOKEN or --token.', { exitCode: 2 });
    const { body } = await postToServer(values, io, {
      path: '/graphql',
      token,
      tenant,
      type: 'application/json',
      body: JSON.stringify({ query: mutation, variables: { input: { url: address } } }),
      expected: [200],
      missing: 'There is no Causeway server at this address.',
    });
    const extension = extensionIn(body as Answer);
    io.out(values.json === true ? `${JSON.stringify({ extension })}\n` : report(extension, address));
    return 0;
  },
};

const mutation = `mutation ($input: RegisterExtensionInput!) {
  registerExtension(input: $input) {
    ... on RegisterExtensionPayload { extension { id vendor name version type status url requestSecret } }
    ... on Error { message }
    ... on ValidationError { fields { messages } }
  }
}`;

interface Registered {
  id: string;
  vendor: string;
  name: string;
  version: string;
  type: 'PUBLIC' | 'PRIVATE';
  status: 'DRAFT' | 'PUBLISHED' | 'WITHDRAWN';
  /** The URL of its site at the first registration. */
  url: string;
  /** The secret that signs the platform's requests; the same for every version. */
  requestSecret: string | null;
}

interface Answer {
  data?: {
    registerExtension?: { extension?: Registered; message?: string; fields?: { messages: string[] }[] } | null;
  } | null;
  errors?: { message: string }[];
}

function extensionIn({ data, errors }: Answer): Registered {
  const { extension, message, fields = [] } = data?.registerExtension ?? {};
  if (extension) return extension;
  const faults = fields.flatMap(({ messages }) => messages);
  const text = message ?? errors?.[0]?.message ?? 'The server answered without an extension.';
  throw new CommandError([text, ...faults.map((fault) => `  ${fault}`)].join('\n'), { details: { errors: faults } });
}

function report({ id, vendor, name, version, type, status, url, requestSecret }: Registered, address: string): string {
  const isMoved = new URL(address).href.replace(/\/+$/, '') !== url;
  const moved = `It was registered before, and its blocks go on being rendered at ${url}. To move it, register another version.\n`;
  const publish = `Have an operator publish it: publishExtension(input: {id: "${id}"})`;
  const steps = [
    `Start it with EXTENSION_SECRET=${requestSecret}, the same for every version: its islands answer nobody else.`,
    ...(type === 'PUBLIC' && status === 'DRAFT' ? [publish] : []),
    `Install it, as an admin of a tenant that has its theme: installExtension(input: {extensionId: "${id}"})`,
  ];
  const lines = steps.map((step, index) => `  ${index + 1}. ${step}\n`);
  return `${vendor}/${name} ${version} is registered: ${id}\n${isMoved ? moved : ''}\nNext:\n${lines.join('')}`;
}
