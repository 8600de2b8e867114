import type { Client } from 'ssh2';
import type { SftpConnection } from './connect-sftp.ts';
import { operationError, SftpError } from './sftp-error.ts';

/** Fails operations of a connection that has ended, or on which nothing has moved for a while; the latter also ends it. */
export class IdleWatch {
  readonly #client: Client;
  readonly #where: string;
  readonly #idleMs: number;
  #isOpen = true;

  constructor({ client, where }: SftpConnection, idleMs: number) {
    this.#client = client;
    this.#where = where;
    this.#idleMs = idleMs;
    client.once('close', () => {
      this.#isOpen = false;
    });
  }

  /** Watches one operation until `stop`; `moved` restarts its time. */
  start(path: string, fail: (error: SftpError) => void): { moved: () => void; stop: () => void } {
    const onIdle = (): void => {
      fail(new SftpError('timeout', `${this.#where} did not answer for ${this.#idleMs} ms.`));
      this.#client.destroy();
    };
    const onClose = (): void => fail(operationError(undefined, path, this.#where));
    const timer = setTimeout(onIdle, this.#idleMs);
    // A connection that has ended never answers, so its operations fail immediately.
    if (this.#isOpen) this.#client.once('close', onClose);
    else onClose();
    return {
      moved: () => timer.refresh(),
      stop: () => {
        clearTimeout(timer);
        this.#client.off('close', onClose);
      },
    };
  }
}
