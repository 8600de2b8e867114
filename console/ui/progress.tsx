import { numberText } from '#console/words/values.ts';

/** How much of a whole is done, 0 to 1, as text. */
export const progressText = (done: number): string => `${numberText(Math.floor(done * 100))} %`;

/** How far something is: a bar while it goes on, and the text alone once it has ended. */
export function Progress({ done, isRunning, label }: { done: number; isRunning: boolean; label: string }) {
  if (!isRunning) return progressText(done);
  return (
    <span className="progress">
      <progress max={1} value={done} aria-label={label} />
      {progressText(done)}
    </span>
  );
}
