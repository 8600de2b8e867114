import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { generate } from 'selfsigned';
import { freeAddress } from '#test/setup/free-port.ts';

const program = '/usr/sbin/dovecot';
const doveadm = '/usr/bin/doveadm';
/** True if tests that need an IMAP server are skipped. */
export const lacksImap = !existsSync(program) || !existsSync('/usr/lib/dovecot/imap');
export const imapSuffix = lacksImap ? ' (skipped: apt-get install dovecot-imapd)' : '';

export const user = { username: 'shop', password: 'correct horse' };
/** The ports with and without TLS from the first byte. */
const [securePort, plainPort] = [9_993, 1_143];
const run = promisify(execFile);

export interface ImapServer {
  host: string;
  securePort: number;
  plainPort: number;
  /** The entries of EGRESS_ALLOW. */
  allow: string;
  /** The authority of its certificate. */
  ca: string;
  /** Puts a mail into the user's mailbox. */
  deliver(mail: string | Buffer, mailbox?: string): Promise<void>;
  /** Calls `doveadm` for the user. */
  manage(command: string, ...args: string[]): Promise<string>;
  close(): Promise<void>;
}

/** The user `nobody` and the group `nogroup` of Debian. */
const nobody = 65_534;

/** Dovecot, as Debian has it. It offers STARTTLS only if `hasTls`, and takes OAuth tokens that the given address knows. */
export async function startImapServer({ hasTls = true, tokenInfo = '' } = {}): Promise<ImapServer> {
  const host = freeAddress();
  // The directory for temporary files may be closed to the server's user.
  const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'causeway-imap-'));
  const home = join(folder, 'home');
  await mkdir(home);
  const isRoot = process.getuid?.() === 0;
  const [uid = nobody, gid = nobody] = isRoot ? [] : [process.getuid?.(), process.getgid?.()];
  for (const each of [folder, home]) await chown(each, uid, gid);
  // The server has parts that run as other users.
  await chmod(folder, 0o755);
  const pair = await generate([{ name: 'commonName', value: host }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: host }] }],
  });
  const write = (name: string, content: string) => writeFile(join(folder, name), content, { mode: 0o644 });
  await write('cert.pem', pair.cert);
  await write('key.pem', pair.private);
  await write('passwd', `${user.username}:{PLAIN}${user.password}::::\n`);
  await write('oauth2', `tokeninfo_url = ${tokenInfo}?token=\nusername_attribute = user\n`);
  const { stdout: me } = await run('id', ['-un']);
  const owners = isRoot ? [] : ['internal', 'login'].map((each) => `default_${each}_user = ${me.trim()}`);
  const lines = [
    `base_dir = ${folder}/run`,
    `state_dir = ${folder}/state`,
    `log_path = ${folder}/log`,
    'protocols = imap',
    `listen = ${host}`,
    ...owners,
    `ssl = ${hasTls ? 'required' : 'yes'}`,
    `disable_plaintext_auth = ${hasTls ? 'yes' : 'no'}`,
    `ssl_cert = <${folder}/cert.pem`,
    `ssl_key = <${folder}/key.pem`,
    'auth_mechanisms = plain login xoauth2 oauthbearer',
    'auth_failure_delay = 0',
    ...block('passdb', 'driver = passwd-file', `args = ${folder}/passwd`),
    ...(tokenInfo === ''
      ? []
      : block('passdb', 'driver = oauth2', 'mechanisms = xoauth2 oauthbearer', `args = ${folder}/oauth2`)),
    ...block('userdb', 'driver = static', `args = uid=${uid} gid=${gid} home=${home}`),
    `mail_location = maildir:${home}/mail`,
    'first_valid_uid = 1',
    // The listener makes logins wait after failures.
    ...block('service anvil', 'chroot =', ...block('unix_listener anvil-auth-penalty', 'mode = 0')),
    ...block(
      'service imap-login',
      'chroot =',
      ...block('inet_listener imap', `port = ${plainPort}`),
      ...block('inet_listener imaps', `port = ${securePort}`, 'ssl = yes'),
    ),
  ];
  const config = join(folder, 'dovecot.conf');
  await writeFile(config, `${lines.join('\n')}\n`);
  const server = spawn(program, ['-F', '-c', config], { stdio: 'ignore' });
  for (let tries = 0; !(await listens(host)); tries += 1) {
    if (tries > 200 || server.exitCode !== null) throw new Error('Dovecot did not start.');
    await sleep(50);
  }
  const manage = async (command: string, ...args: string[]) => {
    const [noun = '', ...verb] = command.split(' ');
    return (await run(doveadm, ['-c', config, noun, ...verb, '-u', user.username, ...args])).stdout;
  };
  return {
    host,
    securePort,
    plainPort,
    allow: `${host}:${securePort},${host}:${plainPort}`,
    ca: pair.cert,
    manage,
    async deliver(mail, mailbox = 'INBOX') {
      const saving = spawn(doveadm, ['-c', config, 'save', '-u', user.username, '-m', mailbox], {
        stdio: ['pipe', 'ignore', 'inherit'],
      });
      saving.stdin.end(mail);
      const [code] = await once(saving, 'exit');
      if (code !== 0) throw new Error(`doveadm save ended with ${code}.`);
    },
    async close() {
      server.kill('SIGTERM');
      await once(server, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const block = (name: string, ...lines: string[]): string[] => [`${name} {`, ...lines, '}'];

const listens = (host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(securePort, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
