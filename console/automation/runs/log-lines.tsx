import { Choices } from '#console/ui/choices.tsx';
import { common } from '#console/words/common.words.ts';
import { enumWord } from '#console/words/enums.ts';
import { timeText } from '#console/words/values.ts';
import { runWords as w } from './runs.words.ts';

export interface LogLine {
  databaseId: number;
  at: string;
  level: string;
  message: string;
  path?: string;
}

const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR'];

/** Lines of a log; the style sheet leaves those out of view undrawn. */
export function LogLines({ lines }: { lines: readonly LogLine[] }) {
  return (
    <ol className="log" aria-label={w.log}>
      {lines.map(({ databaseId, at, level, message, path }) => (
        <li key={databaseId} className={`log-line log-${level.toLowerCase()}`}>
          <time dateTime={at} title={at}>
            {timeText(at)}
          </time>
          <span className="log-level">{enumWord(level)}</span>
          {path !== undefined && <span className="log-path">{path}</span>}
          <span className="log-message" dir="auto">
            {message}
          </span>
        </li>
      ))}
    </ol>
  );
}

interface FilterProps {
  chosen: readonly string[];
  search: string;
  change: (chosen: readonly string[], search: string) => void;
}

export function LogFilter({ chosen, search, change }: FilterProps) {
  return (
    <div className="log-filter">
      <Choices
        label={w.level}
        many
        options={levels.map((value) => ({ value, label: enumWord(value) }))}
        chosen={chosen}
        choose={(values) => change(values, search)}
      />
      <input
        type="search"
        className="input"
        placeholder={common.search}
        aria-label={w.logSearch}
        value={search}
        onChange={(event) => change(chosen, event.target.value)}
      />
    </div>
  );
}
