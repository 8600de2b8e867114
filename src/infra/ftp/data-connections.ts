import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { type FTPContext, FTPError, type FTPResponse } from 'basic-ftp';
import type { Egress } from '#src/infra/egress/egress.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import { FtpError } from './ftp-error.ts';

/**
 * Returns what opens the connection of each transfer, for `Client.prepareTransfer`. Only the port of the server's answer is used:
 * a server that also chose the address could have this process connect to others.
 */
export function dataConnections(
  egress: Pick<Egress, 'openSocket'>,
  host: string,
): (ftp: FTPContext) => Promise<FTPResponse> {
  let command: 'EPSV' | 'PASV' = 'EPSV';
  const enterPassiveMode = async (ftp: FTPContext): Promise<FTPResponse> => {
    try {
      return await ftp.request(command);
    } catch (error) {
      if (command === 'PASV' || !(error instanceof FTPError)) throw error;
      command = 'PASV';
      return ftp.request(command);
    }
  };
  return async (ftp) => {
    const answer = await enterPassiveMode(ftp);
    const port = command === 'EPSV' ? readExtendedPort(answer.message) : readPort(answer.message);
    if (port === undefined) throw new FtpError('protocol', `${host} offers no port for the transfer.`);
    ftp.dataSocket = secure(ftp, await openSocket(egress, { address: ftp.socket.remoteAddress ?? host, host, port }));
    return answer;
  };
}

/** Opens the address of the control connection, since its name may have several. A private one is allowed by its name alone. */
async function openSocket(
  egress: Pick<Egress, 'openSocket'>,
  { address, host, port }: { address: string; host: string; port: number },
): Promise<Socket> {
  try {
    return await egress.openSocket({ host: address, port, usualPort });
  } catch (error) {
    if (!(error instanceof EgressError && error.code === 'refused_address')) throw error;
    return egress.openSocket({ host, port, usualPort });
  }
}

/** The port of data connections that FTP has below 1024. */
const usualPort = 20;

/** Protects a data connection as the control connection is. Servers require its session, so that nobody else can take the connection. */
function secure(ftp: FTPContext, socket: Socket): Socket {
  if (!ftp.hasTLS || !('getSession' in ftp.socket)) return socket;
  const secured = connect({ ...ftp.tlsOptions, socket, session: ftp.tlsSessionStore ?? ftp.socket.getSession() });
  // With TLS 1.3 a session can be used once, and each connection brings the next one.
  secured.on('session', (session) => {
    ftp.tlsSessionStore = session;
  });
  return secured;
}

/** The port in `229 Entering Extended Passive Mode (|||6446|)`, whose delimiter may be any character. */
const readExtendedPort = (message: string): number | undefined =>
  toPort(Number(/([!-/:-~])\1\1(\d{1,5})\1/.exec(message)?.[2]));

/** The port in `227 Entering Passive Mode (127,0,0,1,25,46)`, which is its last two bytes. */
function readPort(message: string): number | undefined {
  const [, high, low] = /\d{1,3},\d{1,3},\d{1,3},\d{1,3},(\d{1,3}),(\d{1,3})/.exec(message) ?? [];
  return toPort(Number(high) * 256 + Number(low));
}

const toPort = (number: number): number | undefined => (number >= 1 && number <= 65_535 ? number : undefined);
