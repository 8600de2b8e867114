import { numberText } from '#console/words/values.ts';
import type { Tone } from './state.tsx';

export interface Figure {
  label: string;
  count: number;
  /** The state that it counts, unless there is nothing of it. */
  tone?: Tone | undefined;
}

/** A few numbers, each above what it counts. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="figures">
      {figures.map(({ label, count, tone }) => (
        <div key={label} className="figures-one">
          <dt>{label}</dt>
          <dd className={tone && count > 0 ? `state-${tone}` : undefined}>{numberText(count)}</dd>
        </div>
      ))}
    </dl>
  );
}
