import type { ResultOf } from '#console/graph/graphql.ts';
import { toAddressId } from '#console/ui/address-id.ts';
import * as format from '#console/ui/formats.tsx';
import { LinkedText } from '#console/ui/linked-text.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import type { Column } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { durationText } from '#console/words/values.ts';
import type { OrderStory } from './order-story.documents.ts';
import { orderStoryWords as w } from './order-story.words.ts';
import { unansweredWords } from './unanswered.words.ts';

type Entry = ResultOf<typeof OrderStory>['story'][number];
type Change = Extract<Entry, { change: unknown }>['change'];
type Delivery = Extract<Entry, { delivery: unknown }>['delivery'];
type DeadLetter = Extract<Entry, { deadLetter: unknown }>['deadLetter'];
type Step = Extract<Entry, { step: unknown }>['step'];

/** The page that an entry leads to. */
interface Target {
  noun: string;
  id: string;
  search?: Record<string, string>;
}

/** An entry as the table shows it. */
interface Line {
  at: string;
  what: string;
  target?: Target;
  state: string | null;
  details: string;
  /** The page that the details lead to, where it is not that of `what`. */
  cause?: Target | undefined;
}

const joined = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(', ');

const runTarget = ({ id }: { id: string }): Target => ({ noun: 'runs', id });

const detailsText = (details: unknown): string =>
  Object.entries(details ?? {})
    .map(
      ([name, value]) => `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(', ');

function changeLine(at: string, { action, details, actorSub, actorEmail, actorName, run }: Change): Line {
  const who = actorName ?? actorEmail ?? actorSub ?? w.system;
  const byRun = run && joined(w.byRun(String(run.databaseId), run.workflowName), run.trigger?.name);
  return {
    at,
    what: w.done(action),
    state: null,
    details: joined(byRun ?? who, detailsText(details)),
    cause: run ? runTarget(run) : undefined,
  };
}

function deliveryLine(at: string, { id, topic, status, reason, destination, attempts }: Delivery): Line {
  const last = attempts.at(-1);
  const answer = last && (last.error ?? (last.httpCode === null ? null : w.lastAnswer(String(last.httpCode))));
  return {
    at,
    what: w.delivery(topic, destination?.name ?? w.deletedDestination),
    target: { noun: 'deliveries', id },
    state: status,
    details: joined(last && w.attempts(last.try), answer, reason),
  };
}

const deadLetterLine = (at: string, { id, databaseId, status, workflowName, reason }: DeadLetter): Line => ({
  at,
  what: w.deadLetter(String(databaseId), workflowName),
  target: { noun: 'dead-letters', id },
  state: status,
  details: reason,
});

const callText = ({ method, url, status, error, durationMs }: Step['calls'][number]): string => {
  const outcome =
    status !== null
      ? w.answered(String(status), durationText(durationMs ?? 0))
      : error !== null
        ? w.failed(sayUnanswered(error))
        : w.underWay;
  return `${method} ${url}: ${outcome}`;
};

const stepLine = (at: string, { run, step }: Extract<Entry, { step: unknown }>): Line => ({
  at,
  what: w.request(String(run.databaseId)),
  target: { ...runTarget(run), search: { step: toAddressId(step.id) } },
  state: step.status,
  details: joined(...step.calls.map(callText)),
});

function readLine(entry: Entry): Line {
  const { at } = entry;
  if ('change' in entry) return changeLine(at, entry.change);
  if ('delivery' in entry) return deliveryLine(at, entry.delivery);
  if ('step' in entry) return stepLine(at, entry);
  if ('deadLetter' in entry) return deadLetterLine(at, entry.deadLetter);
  const { run } = entry;
  return {
    at,
    what: w.run(String(run.databaseId), run.workflowName),
    target: runTarget(run),
    state: run.status,
    details: run.error ?? '',
  };
}

const drawLink = (target: Target | undefined, text: string) =>
  target ? <ObjectLink {...target}>{text}</ObjectLink> : text;

const columns: Column<Line>[] = [
  { key: 'when', label: w.when, show: format.exactTime((line) => line.at) },
  {
    key: 'what',
    label: w.what,
    show: { text: (line) => line.what, draw: ({ what, target }) => drawLink(target, what) },
  },
  {
    key: 'state',
    label: w.state,
    show: {
      ...format.state((line) => line.state),
      draw: (line) => line.state && format.state<Line>((each) => each.state).draw?.(line),
    },
  },
  {
    key: 'details',
    label: w.details,
    show: { text: (line) => line.details, draw: ({ details, cause }) => drawLink(cause, details) },
  },
];

/** What became of an order: who changed it, what that set off, and what came back. */
export function Story({ story }: ResultOf<typeof OrderStory>) {
  const isTold = story.some(({ eventId }) => eventId !== null);
  const isTaken = story.some((entry) => !('change' in entry));
  return (
    <>
      <Table rows={story.map(readLine)} columns={columns} label={w.story} stacks />
      {isTold && !isTaken && (
        <p className="quiet">
          <LinkedText text={w.nothing} />
        </p>
      )}
    </>
  );
}

const sayUnanswered = (code: string): string => (unansweredWords as Readonly<Record<string, string>>)[code] ?? code;
