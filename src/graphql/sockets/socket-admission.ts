import type { IncomingMessage } from 'node:http';
import type { AllowsOrigin } from '#src/infra/http/cors.ts';

/**
 * Decides who may open a socket. A browser lets any page open one, so the `Origin` header is checked; other clients send none. Sockets
 * without a valid token are counted by address. Those with one are not, because behind a proxy all users share an address.
 */
export function createAdmission(options: { publicUrl: string; allowsOrigin: AllowsOrigin; perAddress: number }) {
  const { allowsOrigin, perAddress } = options;
  const ownOrigin = new URL(options.publicUrl).origin;
  const unidentified = new Map<string, number>();

  const isOwn = (origin: string, host: string | undefined): boolean =>
    origin === ownOrigin || (host !== undefined && [`http://${host}`, `https://${host}`].includes(origin));

  return {
    /** The HTTP status with which the request is refused, if it is. */
    findRefusal({ headers: { origin, host }, socket }: IncomingMessage): string | undefined {
      if (origin !== undefined && !isOwn(origin, host) && !allowsOrigin(origin)) return '403 Forbidden';
      const open = unidentified.get(readAddress(socket)) ?? 0;
      return perAddress > 0 && open >= perAddress ? '429 Too Many Requests' : undefined;
    },
    /** Counts a socket until the returned function is called: when its token is known, or when it has closed. */
    count({ socket }: IncomingMessage): () => void {
      const address = readAddress(socket);
      unidentified.set(address, (unidentified.get(address) ?? 0) + 1);
      let counted = true;
      return () => {
        if (!counted) return;
        counted = false;
        const left = (unidentified.get(address) ?? 1) - 1;
        if (left > 0) unidentified.set(address, left);
        else unidentified.delete(address);
      };
    },
  };
}

const readAddress = ({ remoteAddress }: IncomingMessage['socket']): string => remoteAddress ?? '';
