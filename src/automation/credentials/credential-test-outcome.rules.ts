export const testOutcomes = ['succeeded', 'failed', 'not_tested'] as const;

export interface CredentialTestOutcome {
  /** `not_tested` if the type or the config gives nothing that could be called. */
  outcome: (typeof testOutcomes)[number];
  /** At most 500 characters, without any secret. */
  message: string;
}

const maxMessage = 500;

export const passed = (message: string): CredentialTestOutcome => ({ outcome: 'succeeded', message });
export const failed = (message: string): CredentialTestOutcome => ({ outcome: 'failed', message });
export const notTested = (reason: string): CredentialTestOutcome => ({
  outcome: 'not_tested',
  message: `The config is complete. ${reason}, so nothing was called.`,
});

/** Shortens the message. Only for one without secrets: a part of a secret is not recognised. */
export const shorten = ({ outcome, message }: CredentialTestOutcome): CredentialTestOutcome => ({
  outcome,
  message: message.slice(0, maxMessage),
});

/** The outcome as it is stored: null if nothing was tested. */
export const toStoredOk = ({ outcome }: CredentialTestOutcome): boolean | null =>
  outcome === 'not_tested' ? null : outcome === 'succeeded';

/** The outcome of a stored credential's last test; null before the first one. */
export const readOutcome = ({
  lastTestAt,
  lastTestOk,
}: {
  lastTestAt: Date | null;
  lastTestOk: boolean | null;
}): CredentialTestOutcome['outcome'] | null => {
  if (lastTestAt === null) return null;
  return lastTestOk === null ? 'not_tested' : lastTestOk ? 'succeeded' : 'failed';
};
