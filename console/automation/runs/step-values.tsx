import { useEffect, useState } from 'react';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { common } from '#console/words/common.words.ts';
import { bytesText } from '#console/words/values.ts';
import { runWords as w } from './runs.words.ts';
import { StepFiles } from './step-files.tsx';
import type { StepOfPanel } from './step-of-panel.ts';

interface Props {
  step: StepOfPanel;
}

export function StepError({ step: { error } }: Props) {
  if (error === null || error === undefined) return null;
  const { message, ...rest } = error as { message?: unknown };
  return (
    <section className="step-part" aria-label={w.error}>
      <h4>{w.error}</h4>
      <pre className="error-text">{typeof message === 'string' ? message : JSON.stringify(error)}</pre>
      {Object.keys(rest).length > 0 && <JsonTree value={rest} label={w.error} />}
    </section>
  );
}

export function StepInputs({ step: { inputs } }: Props) {
  if (inputs === null || inputs === undefined) return null;
  const cut = cutText(inputs);
  return (
    <section className="step-part" aria-label={w.inputs}>
      <h4>{w.inputs}</h4>
      {cut === undefined ? (
        <JsonTree value={inputs} label={w.inputs} />
      ) : (
        <>
          <p className="quiet">{w.inputsCut}</p>
          <pre className="json-long">{cut}</pre>
        </>
      )}
    </section>
  );
}

/** The beginning of a value that the server has cut. */
function cutText(value: unknown): string | undefined {
  const { truncated, start } = value as { truncated?: unknown; start?: unknown };
  return truncated === true && typeof start === 'string' ? start : undefined;
}

export function StepOutputs({ step }: Props) {
  const { outputPreview, outputBytes, outputUrl, nodeId } = step;
  if (outputBytes === null) return null;
  const root = `nodes.${nodeId}.outputs`;
  return (
    <section className="step-part" aria-label={w.outputs}>
      <h4>
        {w.outputs} <span className="quiet">{bytesText(outputBytes)}</span>
      </h4>
      {outputUrl === null ? (
        <>
          <StepFiles outputs={outputPreview} />
          <JsonTree value={outputPreview} root={root} label={w.outputs} />
        </>
      ) : (
        <LargeOutputs url={outputUrl} root={root} />
      )}
    </section>
  );
}

/** Outputs of more than 64 KiB: their text is fetched, and never parsed as a whole. */
function LargeOutputs({ url, root }: { url: string; root: string }) {
  const [text, setText] = useState<string>();
  const [tries, setTries] = useState(0);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    setFailed(false);
    readText(url, stop.signal).then(setText, () => stop.signal.aborted || setFailed(true));
    return () => stop.abort();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another try
  }, [url, tries]);
  if (hasFailed)
    return (
      <p role="alert">
        {w.outputsFailed}{' '}
        <button type="button" className="button" onClick={() => setTries(tries + 1)}>
          {common.tryAgain}
        </button>
      </p>
    );
  return text === undefined ? <Skeleton rows={8} /> : <JsonTree text={text} root={root} label={w.outputs} />;
}

async function readText(url: string, signal: AbortSignal): Promise<string> {
  // The link names the server by its public address; the page may have been reached by another one.
  const { pathname, search } = new URL(url);
  const response = await fetch(`${pathname}${search}`, { signal, credentials: 'omit' });
  if (!response.ok) throw new Error(`The outputs could not be read: ${response.status}`);
  return response.text();
}
