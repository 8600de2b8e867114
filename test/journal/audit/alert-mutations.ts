/** Helpers to create the objects of a mutation. */
interface Making {
  /** Runs a mutation and answers the id of the newest row of the table. */
  make: (field: string, input: object, table: string) => Promise<number>;
  /** A name that is used once. */
  name: () => string;
}

/** The mutations of alert recipients: what each needs, and `action resource_type` of what it writes. */
export function alertMutations({ make, name }: Making) {
  const newRecipient = () => ({ name: name(), kinds: ['FAILED_RUNS'], url: 'https://hooks.invalid' });
  const recipient = () => make('createAlertRecipient', newRecipient(), 'alert_recipients');
  return {
    createAlertRecipient: { input: newRecipient, writes: ['create alert_recipient'] },
    updateAlertRecipient: {
      input: async () => ({ id: await recipient(), hourlyLimit: 3 }),
      writes: ['update alert_recipient'],
    },
    testAlertRecipient: { input: async () => ({ id: await recipient() }), writes: ['test alert_recipient'] },
    deleteAlertRecipient: { input: async () => ({ id: await recipient() }), writes: ['delete alert_recipient'] },
  };
}
