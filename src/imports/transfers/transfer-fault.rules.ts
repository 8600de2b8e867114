/** Why a transfer failed, in a message for the people of the tenant. */
export class TransferFault extends Error {
  /** Whether a repeat may succeed. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = false } = {}) {
    super(message);
    this.mayPass = mayPass;
  }
}
