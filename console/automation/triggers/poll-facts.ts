import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import type { TriggerPage } from './triggers.documents.ts';
import { triggerWords as w } from './triggers.words.ts';

type Trigger = NonNullable<ResultOf<typeof TriggerPage>['trigger']>;

const pollState = ({ poll }: Trigger): string | undefined => {
  if (!poll) return undefined;
  if (poll.isWaiting) return w.pollWaits;
  return poll.isReading ? w.pollReads : w.pollRests;
};

/** The progress of a poll trigger as rows of its page. Triggers of other types have no such rows. */
export const pollFacts = [
  {
    key: 'watermark',
    label: w.watermark,
    show: format.text(({ poll }: Trigger) => poll && (poll.watermark ?? w.startOfList)),
  },
  { key: 'pollState', label: w.state, show: format.text(pollState) },
  { key: 'nextPoll', label: w.nextPoll, show: format.exactTime(({ poll }: Trigger) => poll?.nextPollAt) },
  { key: 'lastPolled', label: w.lastPolled, show: format.exactTime(({ poll }: Trigger) => poll?.lastPolledAt) },
  { key: 'lastSuccess', label: w.lastSuccess, show: format.exactTime(({ poll }: Trigger) => poll?.lastSuccessAt) },
  { key: 'lastError', label: w.lastError, show: format.text(({ poll }: Trigger) => poll?.lastError) },
  { key: 'failures', label: w.failures, show: format.number(({ poll }: Trigger) => poll?.failures) },
  { key: 'seen', label: w.recordsSeen, show: format.number(({ poll }: Trigger) => poll?.recordsSeen) },
  { key: 'records', label: w.recordsFired, show: format.number(({ poll }: Trigger) => poll?.recordsFired) },
] as const;
