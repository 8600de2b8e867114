import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { freeAddress } from '#test/setup/free-port.ts';

const program = '/usr/sbin/proftpd';
const modules = '/usr/lib/proftpd';
/** True if tests that need an FTP server are skipped. */
export const lacksFtp = !existsSync(program) || !existsSync(join(modules, 'mod_tls.so'));
export const ftpSuffix = lacksFtp ? ' (skipped: apt-get install proftpd-core proftpd-mod-crypto)' : '';

export const user = { username: 'shop', password: 'correct horse' };
const passwordHash =
  '$6$causeway$2KX96Nyqokz3.zn9r0V1.CkFrf84QwH24ttcpuNkbNTmesh5GOQiRPXBlV581d3TisCtGDCkz5q32oA/qxYkj.';
const [port, passivePorts] = [2_121, Array.from({ length: 20 }, (_, index) => 50_000 + index)];

export interface FtpServer {
  host: string;
  port: number;
  /** The entries of EGRESS_ALLOW for its control connection and its data connections. */
  allow: string;
  /** The authority of its certificate. */
  ca: string;
  /** The directory of its user. */
  root: string;
  close(): Promise<void>;
}

/** The user `nobody` and the group `nogroup` of Debian. */
const nobody = 65_534;

/** ProFTPD, as Debian has it. With TLS it refuses logins and data connections without, and those that do not resume the session. */
export async function startFtpServer(
  security: 'explicit' | 'implicit' | 'none',
  directives: readonly string[] = [],
): Promise<FtpServer> {
  const host = freeAddress();
  // The directory for temporary files may be closed to the server's user.
  const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'causeway-ftp-'));
  const root = join(folder, 'files');
  await mkdir(root);
  // It lets nobody in as root.
  const isRoot = process.getuid?.() === 0;
  const [uid = nobody, gid = nobody] = isRoot ? [] : [process.getuid?.(), process.getgid?.()];
  for (const each of [folder, root]) await chown(each, uid, gid);
  const pair = await generate([{ name: 'commonName', value: host }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: host }] }],
  });
  const write = (name: string, content: string) => writeFile(join(folder, name), content, { mode: 0o600 });
  await write('cert.pem', pair.cert);
  await write('key.pem', pair.private);
  await write('passwd', `${user.username}:${passwordHash}:${uid}:${gid}::${root}:/bin/false\n`);
  const tls = [
    `LoadModule mod_tls.c`,
    'TLSEngine on',
    'TLSRequired on',
    'TLSLog none',
    `TLSRSACertificateFile ${folder}/cert.pem`,
    `TLSRSACertificateKeyFile ${folder}/key.pem`,
    ...(security === 'implicit' ? ['TLSOptions UseImplicitSSL'] : []),
  ];
  const lines = [
    'ServerType standalone',
    `ModulePath ${modules}`,
    `DefaultAddress ${host}`,
    'SocketBindTight on',
    `Port ${port}`,
    `PassivePorts ${passivePorts[0]} ${passivePorts.at(-1)}`,
    ...(isRoot ? ['User nobody', 'Group nogroup'] : []),
    'UseReverseDNS off',
    'RequireValidShell off',
    'AuthOrder mod_auth_file.c',
    `AuthUserFile ${folder}/passwd`,
    `PidFile ${folder}/pid`,
    `ScoreboardFile ${folder}/scoreboard`,
    'WtmpLog off',
    'TransferLog none',
    'DelayEngine off',
    'ControlsEngine off',
    'AllowOverwrite on',
    'AllowStoreRestart off',
    ...(security === 'none' ? [] : tls),
    ...directives,
  ];
  await write('proftpd.conf', `${lines.join('\n')}\n`);
  const server = spawn(program, ['-n', '-q', '-c', join(folder, 'proftpd.conf')], { stdio: 'ignore' });
  for (let tries = 0; !(await listens(host)); tries += 1) {
    if (tries > 200 || server.exitCode !== null) throw new Error('ProFTPD did not start.');
    await sleep(50);
  }
  return {
    host,
    port,
    allow: [port, ...passivePorts].map((each) => `${host}:${each}`).join(),
    ca: pair.cert,
    root,
    async close() {
      server.kill('SIGTERM');
      await once(server, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const listens = (host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
