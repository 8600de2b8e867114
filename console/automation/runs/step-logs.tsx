import { useDeferredValue, useState } from 'react';
import { useSubscription } from 'urql';
import { common } from '#console/words/common.words.ts';
import { LogFilter, type LogLine, LogLines } from './log-lines.tsx';
import { runWords as w } from './runs.words.ts';
import type { StepOfPanel } from './step-of-panel.ts';
import { RunLogFollowed } from './steps.documents.ts';

/** Fewer lines are read without a filter. */
const filteredFrom = 8;

/** What an attempt logged; of one that runs, each line as it is stored. */
export function StepLogs({ run, step }: { run: { id: string }; step: StepOfPanel }) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const [{ data: live = [] }] = useSubscription(
    { query: RunLogFollowed, variables: { id: run.id }, pause: step.completedAt !== null },
    (lines: LogLine[] | undefined = [], { runLog: line }) =>
      line.path === step.path && line.attempt === step.attempt ? [...lines, line] : lines,
  );
  const all = new Map<number, LogLine>(
    [...step.logs, ...live].map(({ databaseId, at, level, message }) => [
      databaseId,
      { databaseId, at, level, message },
    ]),
  );
  if (all.size === 0) return null;
  const lines = [...all.values()].filter(
    ({ level, message }) => (chosen.length === 0 || chosen.includes(level)) && message.toLowerCase().includes(wanted),
  );
  return (
    <section className="step-part" aria-label={w.log}>
      <h4>{w.log}</h4>
      {all.size >= filteredFrom && (
        <LogFilter
          {...{ chosen, search }}
          change={(levels, text) => {
            setChosen(levels);
            setSearch(text);
          }}
        />
      )}
      {lines.length === 0 ? <p className="quiet">{common.nothingMatches}</p> : <LogLines lines={lines} />}
    </section>
  );
}
