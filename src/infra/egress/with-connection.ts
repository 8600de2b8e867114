import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

/** Runs `work` with an open connection, and closes it afterwards, or when the signal aborts. */
export async function closingAfter<T>(signal: AbortSignal, close: () => void, work: () => Promise<T>): Promise<T> {
  signal.addEventListener('abort', close, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

/** The options for TLS over a socket to a host. `ca` is an authority in PEM in place of the public ones. */
export const tlsOptions = (host: string, ca: string | undefined): ConnectionOptions => ({
  // The certificate is compared with the host. An address is no name for SNI.
  host,
  ...(isIP(host) === 0 && { servername: host }),
  ...(ca !== undefined && ca !== '' && { ca }),
});
