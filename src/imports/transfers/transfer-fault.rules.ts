/** Why a transfer cannot be done; its message is for the people of the tenant. */
export class TransferFault extends Error {
  /** Whether it may well be over a little later. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = false } = {}) {
    super(message);
    this.mayPass = mayPass;
  }
}
