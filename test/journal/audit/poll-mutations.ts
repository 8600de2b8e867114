/** The config of a trigger that polls nothing while a test runs. */
const hourlyPoll = {
  node: { slug: 'core:http-request' },
  config: { url: 'https://api.example.com/orders' },
  key: 'id',
  watermark: { by: 'id', field: 'id' },
  cron: '0 * * * *',
};

interface PollHelpers {
  make: (mutation: string, input: object, table: string) => Promise<number>;
  workflow: () => Promise<number>;
  name: () => string;
}

/** Mutations of poll triggers, with what they write. */
export function pollMutations({ make, workflow, name }: PollHelpers) {
  const trigger = async () =>
    make('createTrigger', { workflowId: await workflow(), type: 'POLL', name: name(), config: hourlyPoll }, 'triggers');
  return {
    pollTriggerNow: { input: async () => ({ id: await trigger() }), writes: ['poll trigger'] },
    rewindTrigger: { input: async () => ({ id: await trigger(), to: null }), writes: ['rewind trigger'] },
  };
}
