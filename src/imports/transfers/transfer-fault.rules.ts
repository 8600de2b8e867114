/** Why a transfer failed, in a message for the people of the tenant. */
export class TransferFault extends Error {
  /** True when a retry may succeed. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = false } = {}) {
    super(message);
    this.mayPass = mayPass;
  }
}
