import type { KeyboardEvent, MouseEvent } from 'react';
import { ToneShape, toneOf } from '#console/ui/state.tsx';
import { enumWord } from '#console/words/enums.ts';
import { durationText, numberText } from '#console/words/values.ts';
import { runWords as w } from './runs.words.ts';
import { timeScale, type TimeScale } from './time-scale.ts';
import { type Attempt, barsOf, endOf, type TimelineRow, timelineRows } from './timeline-rows.ts';

interface Props {
  attempts: Iterable<Attempt>;
  /** To where bars of what has not ended are drawn, in epoch milliseconds. */
  until: number;
  /** The id of the attempt that is shown beside. */
  chosen: string | undefined;
  choose: (id: string) => void;
  chooseRound: (prefix: string) => void;
}

/** Steps as a waterfall: a row for each place, with its attempts and the waits between them. */
export function Timeline({ attempts, until, chosen, choose, chooseRound }: Props) {
  const rows = timelineRows(attempts);
  const all = rows.flatMap((row) => row.attempts);
  const scale = timeScale(all.flatMap((attempt) => [Date.parse(attempt.startedAt), endOf(attempt, until)]));
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <div className="timeline-scroller" role="group" aria-label={w.timeline} tabIndex={0}>
      <div className="timeline-scale" aria-hidden="true">
        <span className="timeline-breaks">
          {scale.breaks.map(({ from, to, ms }) => (
            <span key={from} className="timeline-break" style={place(from, to)} title={w.cutShort}>
              {durationText(ms)}
            </span>
          ))}
        </span>
        <span className="timeline-duration">{durationText(scale.end - scale.start)}</span>
      </div>
      <ol className="timeline">
        {rows.map((row, index) => (
          <Row
            key={row.path}
            isNewRound={row.round !== (rows[index - 1]?.round ?? '')}
            {...{ row, scale, until, chosen, choose, chooseRound }}
          />
        ))}
      </ol>
    </div>
  );
}

interface RowProps extends Omit<Props, 'attempts'> {
  row: TimelineRow;
  /** It is not of the same round of a loop as the row above. */
  isNewRound: boolean;
  scale: TimeScale;
}

function Row({ row, isNewRound, scale, until, chosen, choose, chooseRound }: RowProps) {
  const last = row.attempts.at(-1) as Attempt;
  const isChosen = row.attempts.some(({ id }) => id === chosen);
  const ms = endOf(last, until) - Date.parse(row.attempts[0]?.startedAt ?? last.startedAt);
  // A bar is a short way to its attempt for the mouse; the attempts are also listed beside.
  const onClick = (event: MouseEvent) => choose((event.target as HTMLElement).dataset['step'] ?? last.id);
  return (
    <li className={`timeline-row${isChosen ? ' is-chosen' : ''}`}>
      {isNewRound && row.round !== '' && (
        <button
          type="button"
          className="timeline-round"
          title={w.onlyRound(row.round)}
          onClick={() => chooseRound(row.round)}
        >
          {row.round}
        </button>
      )}
      <button type="button" className="timeline-step" aria-current={isChosen} onClick={onClick} onKeyDown={moveFocus}>
        <ToneShape tone={toneOf(last.status)} />
        <span className={`timeline-name${row.round === '' ? '' : ' is-inner'}`}>
          {row.name}
          {row.attempts.length > 1 && <span className="timeline-count"> ×{numberText(row.attempts.length)}</span>}
        </span>
        <span className="timeline-track">
          {barsOf(row, scale.placeOf, until).map(({ attempt, kind, from, to }, index) => (
            <span
              key={index}
              className={`bar bar-${kind} tone-${toneOf(attempt.status)}`}
              data-step={attempt.id}
              title={kind === 'retry' ? w.untilRetry : `${enumWord(attempt.status)}, ${w.attempt(attempt.attempt)}`}
              style={place(from, to)}
            />
          ))}
        </span>
        <span className="timeline-duration">{durationText(ms)}</span>
        <span className="sr-only">{enumWord(last.status)}</span>
      </button>
    </li>
  );
}

const place = (from: number, to: number) => ({
  insetInlineStart: `${from * 100}%`,
  inlineSize: `${Math.max(0, to - from) * 100}%`,
});

/** Arrow up and down lead from step to step. */
function moveFocus(event: KeyboardEvent<HTMLButtonElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const steps = [...(event.currentTarget.closest('ol')?.querySelectorAll<HTMLElement>('.timeline-step') ?? [])];
  steps[steps.indexOf(event.currentTarget) + step]?.focus();
  event.preventDefault();
}
