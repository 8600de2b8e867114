import { connect, type Socket } from 'node:net';
import { assertAddress, lookupFor, type LookupOptions } from './connector.ts';
import { EgressError, toEgressError } from './errors.ts';
import { parseTarget, type Target, type TargetRules } from './target.ts';

export interface SocketRequest {
  /** A name or an address. */
  host: string;
  port: number;
  /** The protocol's port below 1024; others below are refused, since they serve other protocols. */
  usualPort: number;
}

/** Checks the destination of a socket. Throws EgressError for a private address and a refused port. */
export function parseSocketTarget(rules: Pick<TargetRules, 'allow'>, { host, port, usualPort }: SocketRequest): Target {
  // Read as a URL, whose parser turns every spelling of an address into one.
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const ports = port >= 1024 || port === usualPort ? [port] : [];
  const target = parseTarget({ ...rules, protocols: ['http:'], ports }, `http://${name}:${port}`);
  assertAddress(target, rules.allow);
  return target;
}

/** Opens a TCP connection to an address that was checked. Throws EgressError. */
export async function openSocket(
  request: SocketRequest,
  { connectTimeoutMs, ...options }: LookupOptions & { connectTimeoutMs: number },
): Promise<Socket> {
  const { hostname, port, where } = parseSocketTarget(options, request);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port, lookup: lookupFor(hostname, port, options) });
    const timer = setTimeout(
      () => socket.destroy(new EgressError('timeout', `Connecting to ${where} took too long.`)),
      connectTimeoutMs,
    );
    const onError = (error: Error): void => {
      clearTimeout(timer);
      reject(toEgressError(error, where));
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', onError);
      // Protocols over it use small packets, and each of them would otherwise wait for the acknowledgement of the one before.
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}
