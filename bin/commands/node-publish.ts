import { resolve } from 'node:path';
import { CommandError, textOf } from '#bin/command.ts';
import type { Command } from '#bin/command.ts';
import { checkNodeFolder } from '#bin/read-node-folder.ts';

const uploadTimeoutMs = 120_000;
const maxAnswerLength = 1024 * 1024;

export const command: Command = {
  name: 'node publish',
  summary: 'Check a node package and upload it to a Causeway server.',
  usage: '[folder] --org <id> [options]',
  options: {
    url: {
      type: 'string',
      about: 'URL of the server; CAUSEWAY_URL, else http://localhost:<PORT>, by default port 4000.',
    },
    org: { type: 'string', about: 'Organisation to publish for; else CAUSEWAY_ORG.' },
    token: {
      type: 'string',
      about: 'Token with the role operator; else CAUSEWAY_TOKEN, which process lists do not show.',
    },
  },
  async run(values, [folder = '.'], io) {
    const org = textOf(values, 'org') ?? io.env.CAUSEWAY_ORG;
    const token = textOf(values, 'token') ?? io.env.CAUSEWAY_TOKEN;
    if (org === undefined) throw new CommandError('Name the org with --org or CAUSEWAY_ORG.', { exitCode: 2 });
    if (token === undefined) throw new CommandError('Give a token with CAUSEWAY_TOKEN or --token.', { exitCode: 2 });
    const base = textOf(values, 'url') ?? io.env.CAUSEWAY_URL ?? `http://localhost:${io.env['PORT'] ?? 4000}`;
    const path = `/api/v1/admin/orgs/${encodeURIComponent(org)}/node-packages`;
    const { archive, description } = await checkNodeFolder(resolve(io.cwd, folder));
    const { status, body } = await upload(addressOf(base, path), token, archive);
    if (status !== 200 && status !== 201) {
      const message = messageOf(body) ?? 'no message';
      const advice = adviceFor(status, org);
      throw new CommandError(`${base} answered ${status}: ${message}${advice}`, { details: { status, body } });
    }
    const isNew = status === 201;
    if (values.json === true) io.out(`${JSON.stringify({ published: isNew, package: body })}\n`);
    else io.out(`${description.name} ${description.version} ${isNew ? 'is published' : 'was published already'}.\n`);
    return 0;
  },
};

/** Advice for a response that consists only of its status. */
function adviceFor(status: number, org: string): string {
  if (status === 401) return ' Get a fresh token.';
  if (status === 403) return ' The token needs the role operator.';
  return status === 404 ? ` There is no org "${org}", or no Causeway server at this address.` : '';
}

function addressOf(base: string, path: string): URL {
  if (!/^https?:\/\//.test(base) || !URL.canParse(base)) {
    throw new CommandError(`"${base}" is not an http or https address; correct --url or CAUSEWAY_URL.`, {
      exitCode: 2,
    });
  }
  return new URL(path, base);
}

async function upload(address: URL, token: string, archive: Buffer): Promise<{ status: number; body: unknown }> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip', accept: 'application/json' },
      body: new Uint8Array(archive),
      // Following a redirect would send the token to another address.
      redirect: 'manual',
      signal: AbortSignal.timeout(uploadTimeoutMs),
    });
    const text = (await response.text()).slice(0, maxAnswerLength);
    return { status: response.status, body: asJson(text) };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
    const reason = cause !== '' ? cause : error instanceof Error ? error.message : 'unknown';
    throw new CommandError(`${address.origin} cannot be reached: ${reason}`);
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 500) };
  }
}

const messageOf = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string'
    ? body.message
    : undefined;
